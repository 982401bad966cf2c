// The sky above the antenna: north is up, the rim is the horizon. Filled marks are satellites in use, hollow ones are not. Lines
// show where each has been.

import { text } from "../words.js";
import { circle, colours, cross, dot, faintly, font, label, line, stroke } from "./canvas.js";

// Systems in the order of lists, with the letter of RINEX, so that colour is never alone.
export const SYSTEMS = { gps: "G", galileo: "E", glonass: "R", beidou: "C", qzss: "J", navic: "I", sbas: "S", imes: "M", unknown: "?" };
const systemColour = (name) => colours()[name] ?? colours().other;

const LONGEST_TRACE = 240;
const traces = new Map();
export const keyOf = (one) => `${one.system} ${one.number}`;

// Keeps where satellites are, when they have moved by a degree.
export function remember(satellites) {
	for (const { elevation, azimuth, ...one } of satellites) {
		if (elevation === undefined || azimuth === undefined) continue;
		const trace = traces.get(keyOf(one)) ?? [];
		const last = trace.at(-1);
		if (last?.[0] !== elevation || last[1] !== azimuth) trace.push([elevation, azimuth]);
		traces.set(keyOf(one), trace.slice(-LONGEST_TRACE));
	}
}

export function drawSky(pen, width, height, satellites) {
	const ink = colours();
	const radius = Math.min(width, height) / 2 - 18;
	const place = ([elevation, azimuth]) => {
		const away = ((90 - elevation) / 90) * radius, angle = (azimuth * Math.PI) / 180;
		return [width / 2 + away * Math.sin(angle), height / 2 - away * Math.cos(angle)];
	};
	drawRings(pen, width / 2, height / 2, radius, ink);
	for (const one of satellites) {
		pen.beginPath();
		line(pen, ...(traces.get(keyOf(one)) ?? []).map(place));
		faintly(pen, 0.45, () => stroke(pen, 2, systemColour(one.system)));
	}
	font(pen, 11, 600);
	for (const one of satellites) {
		if (one.elevation !== undefined && one.azimuth !== undefined) drawSatellite(pen, ...place([Math.max(0, one.elevation), one.azimuth]), one, ink);
	}
}

function drawSatellite(pen, x, y, { system, number, used, carrierToNoise }, ink) {
	const isTracked = carrierToNoise !== undefined;
	const colour = isTracked ? systemColour(system) : ink.muted;
	pen.beginPath();
	pen.roundRect(x - 15, y - 10, 30, 20, 10);
	pen.fillStyle = used ? colour : ink.card;
	stroke(pen, 4, ink.raised);
	pen.fill();
	stroke(pen, 1.5, colour, isTracked ? [] : [3, 3]);
	pen.fillStyle = used ? ink.card : colour;
	pen.fillText(`${SYSTEMS[system] ?? "?"}${number ?? ""}`, x, y + 0.5);
}

function drawRings(pen, x, y, radius, ink) {
	dot(pen, x, y, radius, ink.raised);
	for (const part of [1, 2 / 3, 1 / 3]) {
		circle(pen, x, y, part * radius);
		stroke(pen, 1, ink.line);
	}
	cross(pen, x, y, radius);
	pen.textAlign = "center";
	pen.textBaseline = "middle";
	const around = radius + 9;
	for (const [name, right, down] of [["north", 0, -around], ["east", around, 0], ["south", 0, around], ["west", -around, 0]]) {
		label(pen, text(name), x + right, y + down, ink.muted, ink.card);
	}
	label(pen, "30°", x + 12, y - (radius * 2) / 3, ink.muted, ink.raised);
	label(pen, "60°", x + 12, y - radius / 3, ink.muted, ink.raised);
}
