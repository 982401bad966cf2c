// The view of visits: where the device has stayed for five minutes or longer, newest first.

import { call, device, on, placeName } from "../device.js";
import { card, list, make, write } from "../dom.js";
import { clock, day, length, position, span, text } from "../words.js";

let parts = {};
let stop = null;
let stays = [];

export const visits = { begin, end: () => stop(), tick: draw };

function begin(main) {
	parts = { status: make("p.note", { role: "status" }), list: make("ol.timeline") };
	main.append(card(text("visits.title"), make("p.note", text("visits.meaning")), parts.status, parts.list));
	stop = on("visits", refresh);
	refresh();
}

async function refresh() {
	let problem = "";
	stays = await call("Location.Visits").then((reply) => reply.visits, (error) => ((problem = error.message), []));
	const current = device.visit;
	if (current) stays = [current, ...stays.filter((stay) => stay.arrival !== current.arrival)];
	write(parts.status, problem || (stays.length ? "" : text("visits.none")));
	draw();
	for (const stay of stays.slice(0, 20)) stay.name = await placeName(stay);
	draw();
}

function draw() {
	list(parts.list, stays, (stay) => `${stay.arrival} ${stay.latitude}`, () => make("li", make("p.note"), make("strong"), make("p.note")), fill);
}

function fill(item, stay) {
	const [when, name, note] = item.children;
	item.classList.toggle("current", !stay.departed);
	const unknown = text("visits.unknown");
	const last = stay.departed ? (stay.departure ? clock(stay.departure) : unknown) : text("visits.now");
	write(when, `${stay.arrival ? `${day(stay.arrival)}, ${clock(stay.arrival)}` : unknown} – ${last}`);
	const where = position(stay.latitude, stay.longitude, stay.horizontalAccuracy).join(" ");
	write(name, stay.name || where);
	const until = stay.departed ? Date.parse(stay.departure) : Date.now();
	const seconds = (until - Date.parse(stay.arrival)) / 1000;
	const stayed = seconds >= 0 ? text("visits.stayed", { time: span(seconds) }) : "";
	write(note, [stayed, stay.name && where, `±\u202f${length(stay.horizontalAccuracy)}`].filter(Boolean).join(", "));
}
