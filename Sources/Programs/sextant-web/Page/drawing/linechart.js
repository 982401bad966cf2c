// A line over the last hour, with its lowest and highest value.

import { clock } from "../words.js";
import { colours, dot, font, line, stroke } from "./canvas.js";

const { ceil, max, min, round } = Math;
const HOUR = 3600000, MINUTE = 60000; // milliseconds

// `series` has the name of the values in the history, how to write them, and whether its scale begins at zero.
export function drawChart(pen, width, height, history, series) {
	const points = history.filter((point) => point[series.name] !== undefined);
	if (!points.length) return;
	const { accent } = colours();
	const values = points.map((point) => point[series.name]);
	const least = min(...values), most = max(...values);
	const low = series.startsAtZero ? min(0, least) : least - max(1, (most - least) * 0.1);
	const high = most + max((most - low) * 0.08, 1e-6);
	const last = points.at(-1).time, duration = max(MINUTE, min(HOUR, last - points[0].time));
	const x = (time) => width - 6 - ((last - time) / duration) * (width - 12);
	const y = (value) => height - 20 - ((value - low) / (high - low)) * (height - 28);
	drawFrame(pen, width, height, [last - duration, last], [low, high], y, series);
	pen.beginPath();
	// Of the points of one pixel, the extremes.
	const every = ceil(points.length / width);
	for (let index = 0; index < points.length; index += every) {
		const group = values.slice(index, index + every), at = x(points[index].time);
		pen[points[index].begins ? "moveTo" : "lineTo"](at, y(min(...group)));
		if (every > 1) pen.lineTo(at, y(max(...group)));
	}
	stroke(pen, 2, accent);
	dot(pen, x(last), y(values.at(-1)), 3.5, accent);
}

function drawFrame(pen, width, height, times, [low, high], y, series) {
	const ink = colours();
	pen.beginPath();
	for (const value of [low, (low + high) / 2, high]) line(pen, [0, round(y(value)) + 0.5], [width, round(y(value)) + 0.5]);
	stroke(pen, 1, ink.line);
	font(pen, 11);
	pen.fillStyle = ink.muted;
	pen.fillText(series.write(high), 2, y(high) + 12);
	pen.fillText(series.write(low), 2, y(low) - 4);
	pen.fillText(clock(times[0]), 0, height - 4);
	pen.textAlign = "right";
	pen.fillText(clock(times[1]), width, height - 4);
}
