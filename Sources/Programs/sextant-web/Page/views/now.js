// The view that opens first: does it work, how sure is the position, where is it, and the map.

import { device, isCurrent, on, placeName, positionAge } from "../device.js";
import { card, drawFacts, list, make, show, write } from "../dom.js";
import * as words from "../words.js";
import { text } from "../words.js";

const SYMBOLS = { ok: "✓", wrong: "!", waiting: "…", skipped: "–" };
let parts = {};
let stop = null;
let doctor = null;
let map = null;

export const now = { begin, end, tick };

function begin(main) {
	parts = {};
	parts.verdict = verdict();
	parts.sure = howSure();
	parts.where = where();
	parts.map = card(text("map.title"));
	parts.map.classList.add("map-card");
	main.append(make("div.column", parts.verdict, parts.sure, parts.where), parts.map);
	const stops = [on("location connection", draw), on("connection receivers status", drawVerdict)];
	stop = () => stops.forEach((stop) => stop());
	draw();
	drawVerdict();
}

function end() {
	stop();
	map?.remove();
	map = null;
}

function tick() {
	if (positionAge() > 1.2) draw();
	drawVerdict();
}

function howSure() {
	Object.assign(parts, { radius: make("strong.radius"), size: make("span.size"), meaning: make("p"), source: make("p.note"), marker: make("span.marker") });
	const ticks = [0.01, 0.1, 1, 10, 100, 1000].map((metres) => make("span", words.plain(words.length(metres))));
	const scale = make("div.scale", { "aria-hidden": "true" }, make("div.track", parts.marker), make("div.ticks", ...ticks));
	return card(text("sure.title"), make("p.sure", parts.radius, parts.size), scale, parts.meaning, parts.source);
}

function where() {
	Object.assign(parts, { place: make("p.lead"), latitude: make("span"), longitude: make("span"), facts: make("dl.facts"), simulated: make("p.note.tag", text("where.simulated")) });
	parts.lastKnown = make("p.note.warn", { hidden: true }, text("where.lastKnown"));
	const line = make("p.coordinates", parts.latitude, " ", parts.longitude);
	return card(text("where.title"), parts.place, parts.lastKnown, line, parts.simulated, parts.facts);
}

function draw() {
	const { position: location, update } = device;
	const isPast = Boolean(location && !isCurrent());
	parts.sure.classList.toggle("old", isPast);
	parts.where.classList.toggle("old", isPast);
	show(parts.lastKnown, isPast);
	show(parts.marker, location && !isPast);
	show(parts.simulated, location?.simulated);
	if (!location) {
		write(parts.radius, "–");
		return write(parts.meaning, text("sure.unknown"));
	}
	drawSure(location);
	drawWhere(location, update?.stationary);
	placeName(location).then((name) => write(parts.place, name));
	loadMap();
}

function drawSure({ horizontalAccuracy, accuracySource }) {
	const radius = words.length(horizontalAccuracy);
	write(parts.radius, `±\u202f${radius}`);
	write(parts.size, text("sure.size", { object: words.familiarObject(horizontalAccuracy) }));
	// The scale goes from a centimetre to a kilometre, five powers of ten.
	parts.marker.style.insetInlineStart = `${Math.min(1, Math.max(0, (Math.log10(horizontalAccuracy) + 2) / 5)) * 100}%`;
	write(parts.meaning, text(isCurrent() ? "sure.meaning" : "sure.was", { radius, age: words.span(positionAge()) }));
	write(parts.source, text("sure.source", { source: text("source." + accuracySource) }));
}

function drawWhere(location, isStationary) {
	const [first, second] = words.position(location.latitude, location.longitude, location.horizontalAccuracy);
	write(parts.latitude, first);
	write(parts.longitude, second);
	const known = (value, write, accuracy) => value !== undefined && write(value) + (accuracy ? ` ±\u202f${accuracy}` : "");
	drawFacts(parts.facts, "fact.", {
		speed: isStationary ? text("where.rest") : known(location.speed, words.speed, location.speedAccuracy && words.speed(location.speedAccuracy)),
		course: known(isStationary ? undefined : location.course, words.direction),
		altitude: known(location.altitude, words.altitude, location.verticalAccuracy && words.length(location.verticalAccuracy)),
		satellites: known(location.satellitesUsed, (n) => text("where.used", { n })),
		fix: `${location.mode.toUpperCase()}, ${text("quality." + location.quality)}`,
		time: known(location.timestamp, (time) => words.clock(time, true)),
		age: words.span(positionAge()),
		receiver: location.receiver,
	});
}

async function loadMap() {
	if (parts.hasMap) return;
	parts.hasMap = true;
	const { map: place } = parts;
	const { Map } = await import("../drawing/map.js");
	if (place.isConnected) map = new Map(place);
}

function verdict() {
	const command = make("code.command");
	Object.assign(parts, { symbol: symbol(), title: make("span", text("verdict.waiting")), finding: make("p"), remedy: make("p"), command, summary: make("summary"), checks: make("ol.checks") });
	const more = make("p.note", text("verdict.more") + " ", make("code", "sextant doctor"));
	return make("section.card.verdict", make("h2", parts.symbol, parts.title), parts.finding, parts.remedy, command, make("details", parts.summary, parts.checks, more));
}

const symbol = () => make("span.symbol", { "aria-hidden": "true" });

function mark(element, state) {
	element.dataset.state = state;
	write(element, SYMBOLS[state]);
}

async function drawVerdict() {
	if (!device.update && !device.refused.location && device.connection !== "daemonAway") return;
	doctor ??= await import("../doctor.js");
	const { state, title, checks } = doctor.examine();
	parts.verdict.dataset.state = state;
	mark(parts.symbol, state);
	write(parts.title, title);
	const { finding, lang, remedy, command } = checks.find((check) => check.state === "wrong") ?? {};
	parts.finding.lang = lang ?? "";
	write(parts.finding, finding);
	write(parts.remedy, remedy && `${text("verdict.remedy")} ${remedy}`);
	write(parts.command, command);
	write(parts.summary, text("verdict.checks", { n: checks.length, good: checks.filter((check) => check.state === "ok").length }));
	list(parts.checks, checks, (check) => check.name, buildCheck, (item, check) => {
		const [sign, words] = item.children;
		mark(sign, check.state);
		const [, hidden, found] = words.children;
		write(hidden, text("state." + check.state) + ": ");
		found.lang = check.lang ?? "";
		write(found, check.finding);
	});
}

const buildCheck = ({ name }) => make("li", symbol(), make("span", make("strong", text("check." + name)), " ", make("span.hidden-text"), make("span.note")));
