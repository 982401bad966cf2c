// Starts the page: words, theme, the view in the address, and the line with the freshness.

import { device, isCurrent, isDenied, isLate, on, open, positionAge, probe } from "./device.js";
import { byId, icon, make, show, write } from "./dom.js";
import { setting } from "./settings.js";
import { now } from "./views/now.js";
import { clock, length, loadWords, position, span, text, translate } from "./words.js";

// The views: what each needs beside location and status, and its icon.
const VIEWS = {
	now: ["receivers", "M12 21c4-5 7-8 7-12A7 7 0 0 0 5 9c0 4 3 7 7 12ZM12 6.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5"],
	sky: ["satellites", "M12 3v18M3 12h18M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8"],
	fences: ["monitors", "m4 8 7-4 9 5-2 10-11 1ZM12 11.5v.5"],
	power: ["status", "M13 3 5 14h6l-1 7 8-11h-6Z"],
	charts: ["satellites", "M4 4v16h16M7 15l4-5 3 3 5-7"],
	visits: ["visits", "M12 7v5l4 2M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18"],
};
const SPOKEN = 60; // seconds between two spoken positions
let shown = null;
let view = null;
let silent = 0; // seconds without a new position

const asked = () => (location.hash.slice(1) in VIEWS ? location.hash.slice(1) : "now");
const openStream = () => open(["status", VIEWS[asked()][0]]);

async function showView() {
	const name = asked();
	if (name === shown) return;
	const isFirst = shown === null;
	shown = name;
	for (const link of document.querySelectorAll("nav a")) link.setAttribute("aria-current", link.hash === `#${name}` ? "page" : "false");
	openStream();
	const next = name === "now" ? now : (await import(`./views/${name}.js`))[name];
	if (shown !== name) return;
	view?.end();
	view = next;
	const main = byId("main");
	main.replaceChildren(make("h1.hidden-text", text("view." + name)));
	main.className = `view-${name}`;
	view.begin(main);
	document.title = `${text("view." + name)} · Sextant`;
	if (!isFirst) main.focus();
}

function applyTheme() {
	document.documentElement.dataset.theme = setting("theme");
	dispatchEvent(new Event("theme"));
}

// The state of the data, and words for it without and with its age.
function freshness() {
	const { connection, update } = device;
	const age = span(positionAge());
	if (connection !== "open") return ["bad", text("pulse." + connection)];
	if (!update) return ["waiting", text("pulse.waiting")];
	if (device.status?.enabled === false) return ["bad", text("verdict.wrong.off")];
	if (isDenied(update)) return ["bad", text("doctor.denied")];
	if (update.stationary) return ["rest", update.restingSince ? text("pulse.restSince", { time: clock(update.restingSince) }) : text("pulse.rest")];
	if (!update.location || update.locationUnavailable) return ["bad", text("cause." + update.cause), device.position && text("pulse.lost", { age })];
	return isLate() ? ["old", text("pulse.late"), text("pulse.old", { age })] : ["good", "", text("pulse.good", { age })];
}

function drawPulse() {
	const [state, words, withAge] = freshness();
	byId("pulse").dataset.state = state;
	write(byId("pulse"), withAge || words);
	speak(state, words);
}

// The line for screen readers: when its words change at once, the position otherwise seldom.
const spoken = { words: null, time: 0 };
function speak(state, words) {
	if (words === spoken.words && (state !== "good" || performance.now() - spoken.time < SPOKEN * 1000)) return;
	Object.assign(spoken, { words, time: performance.now() });
	const { latitude, longitude, horizontalAccuracy, simulated } = device.position ?? {};
	const where = isCurrent() ? text("spoken", { where: position(latitude, longitude, horizontalAccuracy).join(", "), radius: length(horizontalAccuracy) }) : "";
	write(byId("spoken"), [words && `${words}.`, where, isCurrent() && simulated && text("where.simulated")].filter(Boolean).join(" "));
}

function drawBanner() {
	const { connection, detail } = device;
	const isShown = !["open", "connecting"].includes(connection);
	show(byId("banner"), isShown);
	if (!isShown) return;
	write(byId("banner-text"), text("banner." + connection) + (detail ? ` (${detail})` : ""));
	show(byId("banner-button"), connection !== "daemonAway");
}

byId("banner-button").addEventListener("click", () => location.reload());
byId("open-settings").addEventListener("click", async () => (await import("./views/settings.js")).openSettings());
addEventListener("hashchange", showView);
on("connection", drawBanner);
on("connection location", drawPulse);
// Ages grow on the page's own clock. A hidden page draws nothing.
setInterval(() => {
	if (document.visibilityState !== "visible") return;
	if (positionAge() > 1.2) drawPulse();
	if ((isLate() || device.update?.stationary) && ++silent % (isLate() ? 10 : 30) === 0) probe();
	view?.tick?.();
}, 1000);
addEventListener("choice", async ({ detail: name }) => {
	if (name === "theme") return applyTheme();
	if (name === "language") {
		await loadWords();
		translate();
	}
	shown = undefined;
	showView();
});

// The memory of the last hour is loaded after the first position has been drawn.
const stopWaiting = on("location", () => {
	stopWaiting();
	import("./history.js");
});

for (const [name, [, path]] of Object.entries(VIEWS)) byId("views").append(make("a", { href: `#${name}` }, icon(path), make("span", { "data-text": "view." + name })));
applyTheme();
openStream();
await loadWords();
translate();
drawPulse();
await showView();
