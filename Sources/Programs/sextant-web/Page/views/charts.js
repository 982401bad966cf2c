// The view of the last hour: how the figures have changed, and how far positions at rest scatter against the claimed accuracy.

import { on } from "../device.js";
import { card, drawFacts, make, show, write } from "../dom.js";
import { Drawing } from "../drawing/canvas.js";
import { drawChart } from "../drawing/linechart.js";
import { drawScatter } from "../drawing/scatter.js";
import { history } from "../history.js";
import { deviation, LEAST_POINTS } from "../precision.js";
import { altitude, length, number, percent, speed, text } from "../words.js";

const SERIES = [
	{ name: "radius", write: length, startsAtZero: true },
	{ name: "speed", write: speed, startsAtZero: true },
	{ name: "altitude", write: altitude },
	{ name: "used", write: (value) => number(value), startsAtZero: true },
	{ name: "signal", write: (value) => `${number(value)} dB-Hz` },
	{ name: "hdop", write: (value) => number(value, 1), startsAtZero: true },
];
let parts = {};
let stop = null;

export const charts = { begin, end };

function begin(main) {
	parts = { words: make("p"), figures: make("dl.facts") };
	const last = card(text("charts.title"), make("p.note", text("charts.meaning")));
	last.classList.add("charts");
	parts.charts = SERIES.map((series) => {
		const value = make("strong");
		const figure = make("figure", make("figcaption", text("chart." + series.name), value));
		const drawing = new Drawing(figure, "chart", text("chart." + series.name), (...pen) => drawChart(...pen, history, series));
		last.append(figure);
		return { series, drawing, value };
	});
	const precision = card(text("precision.title"), make("p.note", text("precision.meaning")), parts.words);
	parts.scatter = new Drawing(precision, "scatter", text("precision.title"), (...pen) => drawScatter(...pen, parts.result));
	precision.append(parts.figures);
	main.append(last, precision);
	stop = on("location", draw);
	draw();
}

function end() {
	stop();
	for (const { drawing } of parts.charts) drawing.remove();
	parts.scatter.remove();
}

function draw() {
	for (const { series, drawing, value } of parts.charts) {
		const values = history.map((point) => point[series.name]).filter((one) => one !== undefined);
		if (!values.length) continue;
		const [now, least, most] = [values.at(-1), Math.min(...values), Math.max(...values)].map(series.write);
		write(value, now);
		drawing.show(text("chart.describe", { name: text("chart." + series.name), now, least, most }));
	}
	drawPrecision();
}

function drawPrecision() {
	const result = (parts.result = deviation(history));
	show(parts.scatter.element, result);
	show(parts.figures, result);
	if (!result) return write(parts.words, text("precision.waiting", { n: LEAST_POINTS }));
	const { r50, r68, r95, claim, points } = result;
	const figures = { r50: length(r50), r68: length(r68), r95: length(r95), claim: length(claim), count: number(points.length) };
	const values = { ...figures, share: percent(result.share) };
	write(parts.words, text(result.share >= 0.6 ? "precision.honest" : "precision.optimistic", values));
	drawFacts(parts.figures, "precision.", figures);
	parts.scatter.show(text("precision.describe", values));
}
