// The view of signals: where the satellites are, how strong each signal is, and what each receiver sends.

import { device, on } from "../device.js";
import { damage, primary } from "../doctor.js";
import { card, drawFacts, list, make, write } from "../dom.js";
import { Drawing } from "../drawing/canvas.js";
import { drawSky, keyOf, remember, SYSTEMS } from "../drawing/skyplot.js";
import { degrees, number, percent, text } from "../words.js";

const COLUMNS = ["system", "number", "signal", "elevation", "azimuth", "used"];
let parts = {};
let stop = null;

export const sky = { begin, end };

function begin(main) {
	parts = { satellites: [], summary: make("p.note"), legend: make("ul.legend"), receivers: make("ul.items"), ports: make("ul.items") };
	const plot = card(text("sky.title"), parts.summary);
	parts.plot = new Drawing(plot, "sky-plot", "", (...pen) => drawSky(...pen, parts.satellites));
	plot.append(parts.legend, make("p.note", text("sky.legend")));
	const signals = card(text("signals.title"));
	parts.bars = make("ul.bars", { "aria-hidden": "true" });
	const head = make("tr", ...COLUMNS.map((name) => make("th", { scope: "col" }, text("column." + name))));
	parts.rows = make("tbody");
	const scroll = make("div.scroll", { tabindex: 0, role: "region", "aria-label": text("signals.table") }, make("table", make("thead", head), parts.rows));
	signals.append(parts.bars, make("p.note", text("signals.legend")), make("details", make("summary", text("signals.table")), scroll));
	main.append(plot, signals, card(text("receivers.title"), parts.receivers, parts.ports));
	stop = on("receivers connection", draw);
	draw();
}

function end() {
	stop();
	parts.plot.remove();
}

const colourOf = (system) => `var(--${system}, var(--other))`;

// One entry for each satellite, with the strongest of its signals, in the order of systems.
function merged(signals) {
	const best = new Map();
	for (const one of [...signals].sort((a, b) => (b.carrierToNoise ?? 0) - (a.carrierToNoise ?? 0))) {
		const known = best.get(keyOf(one));
		best.set(keyOf(one), known ? { ...known, used: known.used || one.used } : one);
	}
	const order = Object.keys(SYSTEMS);
	return [...best.values()].sort((a, b) => order.indexOf(a.system) - order.indexOf(b.system) || a.number - b.number);
}

function draw() {
	const receiver = primary();
	const satellites = merged(receiver?.satellites ?? []);
	parts.satellites = satellites;
	remember(satellites);
	const count = (test) => satellites.filter(test).length;
	const tracked = satellites.filter((one) => one.carrierToNoise !== undefined);
	const summary = text("sky.summary", { used: count((one) => one.used), tracked: tracked.length, n: satellites.length, hdop: receiver?.hdop ? number(receiver.hdop, 1) : "–" });
	const words = satellites.length ? summary : device.refused.receivers?.parameters?.detail ?? text(device.receivers ? "sky.none" : "pulse.waiting");
	write(parts.summary, words);
	parts.plot.show(words);
	list(parts.bars, tracked, keyOf, () => make("li", make("span"), make("b"), make("span")), (item, one) => {
		const [strength, bar, name] = item.children;
		write(strength, one.carrierToNoise);
		bar.style.color = colourOf(one.system);
		bar.style.height = `${one.carrierToNoise / 6}rem`;
		bar.classList.toggle("used", one.used);
		write(name, `${SYSTEMS[one.system] ?? "?"}\n${one.number ?? "?"}`);
	});
	const systems = Object.keys(SYSTEMS).filter((name) => satellites.some((one) => one.system === name));
	list(parts.legend, systems, (name) => name, (name) => make("li", make("span.letter", SYSTEMS[name] + " "), make("span")), (item, name) => {
		item.firstChild.style.color = colourOf(name);
		write(item.lastChild, `${text("system." + name)} ${count((one) => one.system === name && one.used)}/${count((one) => one.system === name)}`);
	});
	const known = (value, write) => (value === undefined ? "–" : write(value));
	list(parts.rows, satellites, keyOf, () => make("tr", ...COLUMNS.map(() => make("td"))), (row, one) => {
		const cells = [text("system." + one.system), known(one.number, String), known(one.carrierToNoise, number), known(one.elevation, degrees)];
		[...cells, known(one.azimuth, degrees), text(one.used ? "yes" : "no")].forEach((words, index) => write(row.cells[index], words));
	});
	list(parts.receivers, device.receivers ?? [], (one) => one.name, buildReceiver, fillReceiver);
	list(parts.ports, device.unconfirmedPorts, (port) => port.name, () => make("li", make("strong"), make("p.note", { lang: "en" })), (item, port) => {
		write(item.firstChild, port.port);
		write(item.lastChild, port.detail);
	});
}

const buildReceiver = () => make("li", make("h3", make("span"), " ", make("span.tag.note")), make("p.note", { lang: "en" }), make("dl.facts"));

function fillReceiver(item, one) {
	const [name, state] = item.firstChild.children;
	write(name, one.name);
	write(state, text("receiverState." + one.state) + (one.isPrimary && device.receivers.length > 1 ? `, ${text("receivers.primary")}` : ""));
	write(item.children[1], one.detail);
	const { sentences, damaged, share } = damage(one.counts);
	const { vendor, module, chipset, firmware } = one.identity ?? {};
	drawFacts(item.lastChild, "receivers.", {
		kind: [vendor, module ?? chipset, firmware].filter(Boolean).join(" ") || one.product,
		port: one.baud ? `${one.port}, ${number(one.baud)} Bd` : one.port,
		rate: one.rate && `${number(one.rate, 1)} Hz`,
		sentences: number(sentences),
		damaged: `${number(damaged)} (${percent(share)})`,
		strays: `${number(one.counts.strayBytes)} B`,
		driver: one.driver && [text("activity." + one.driver.activity), one.driver.chip].filter(Boolean).join(", "),
		corrections: one.corrections && `${one.corrections.source}, ${number(one.corrections.rate)} B/s`,
	});
}
