// The view of energy: who keeps the receiver on now, what this page costs, and the last days.

import { call, device, isCurrent, on } from "../device.js";
import { card, list, make, show, write } from "../dom.js";
import { setting } from "../settings.js";
import { day, energy, milliwatts, percent, plain, programText, span, text } from "../words.js";

const REFRESH = 30; // seconds
const DAY = 86400000; // milliseconds
const MOST_SHARES = 8;
const STATES = ["operation", "saving", "search", "standby", "closed"];
let parts = {};
let stop = null;
let report = null;
let problem = ""; // why there is no report
let days = 7;
let age = 0;

export const power = { begin, end: () => stop(), tick };

function begin(main) {
	parts = {
		summary: make("p.lead"), consumers: make("ul.items"), receivers: make("p.note"), own: make("p"), total: make("p.lead"), shares: make("ul.shares"),
		states: make("div.band", { "aria-hidden": "true" }), stateWords: make("ul.legend"), source: make("p.note"), days: make("ol.days"),
	};
	const who = card(text("power.now"), parts.summary, parts.consumers, parts.receivers);
	const own = card(text("power.page"), parts.own, make("p.note", text("power.pageNote")));
	const options = [7, 60].map((n) => make("option", { value: n, selected: n === days }, text("power.days", { n })));
	const range = make("select", { "aria-label": text("power.range"), onchange: () => refresh((days = Number(range.value))) }, ...options);
	const history = card(text("power.history"), range, parts.total);
	history.append(parts.days, make("h3", text("power.shares")), parts.shares, make("h3", text("power.states")), parts.states, parts.stateWords, parts.source);
	main.append(make("div.column", who, own), history);
	stop = on("status", drawNow);
	drawNow();
	refresh();
}

function tick() {
	age += 1;
	drawNow();
	if (age >= REFRESH && device.connection === "open") refresh();
}

async function refresh() {
	age = 0;
	try {
		report = await call("Manager.GetPower", { days });
		problem = "";
		drawDaysAndShares();
	} catch (error) {
		write(parts.total, (problem = error.message));
	}
}

const isNobody = (one) => ["nobody", "others"].includes(one.purpose);
const isOwn = (one) => /sextant-web/.test(`${one.unit} ${one.program}`);

// A program by its unit, else by the name that it gives itself, else by its user.
function programName(one) {
	if (isNobody(one)) return text("purpose." + one.purpose);
	const name = one.unit || one.program || programText(one.owner ?? String(one.uid));
	return isOwn(one) ? `${name} (${text("power.thisPage")})` : name;
}

function drawNow() {
	const { consumers, activities, allowsSleep, time } = device.consumers ?? {};
	const passed = (performance.now() - time) / 1000;
	const asking = (consumers ?? []).filter((one) => one.purpose !== "receivers");
	const holding = asking.filter((one) => one.holds);
	// A list without this page, which gets positions, is older than its request.
	const isKnown = asking.some(isOwn) || (consumers && device.update && !isCurrent());
	const words = text(holding.length ? "power.holding" : "power.noHolder", { n: holding.length });
	write(parts.summary, isKnown ? words : problem || text("pulse.waiting"));
	const build = () => make("li", make("div.head", make("strong"), make("span.tag.state")), make("p"), make("p.note"));
	list(parts.consumers, asking, (one) => `${one.owner} ${one.purpose} ${one.since}`, build, (item, one) => {
		item.dataset.state = one.holds ? "satisfied" : "unsatisfied";
		const [head, purpose, since] = item.children;
		write(head.firstChild, programName(one));
		write(head.lastChild, text("power." + (one.holds ? "holds" : one.passive ? "passive" : one.silent ? "silent" : "holdsNot")));
		write(purpose, text("purpose." + one.purpose) + (one.interval ? `, ${text("power.every", { time: plain(span(one.interval)) })}` : ""));
		write(since, text("power.since", { time: span(one.seconds + passed) }));
	});
	const states = (activities ?? []).map((one) => text("power.receiver", { name: one.receiver, state: text("powerState." + one.state), time: span(one.seconds + passed) }));
	write(parts.receivers, [...states, allowsSleep === false ? text("power.neverSleeps") : ""].join(" "));
	show(parts.own, isKnown && report);
	drawOwn(asking.some((one) => isOwn(one) && one.holds));
}

function drawOwn(holds) {
	const { joules, consumers } = report?.days[0] ?? { joules: 0, consumers: [] };
	const own = consumers.filter(isOwn).reduce((sum, one) => sum + one.joules, 0);
	const words = text("power." + (setting("pace") === "watch" ? "ownWatch" : holds ? "ownHolds" : "ownNot"));
	write(parts.own, `${words} ${text("power.ownToday", { energy: energy(own), share: percent(own / (joules || 1)) })}`);
}

function drawDaysAndShares() {
	const all = report.days.length ? report.days : [report.start];
	const total = all.reduce((sum, one) => sum + one.joules, 0);
	write(parts.total, text(total ? "power.total" : "power.none", { energy: energy(total), n: all.length, power: milliwatts(all[0].milliwatts ?? 0) }));
	drawDays();
	const sums = {};
	for (const one of all.flatMap((each) => each.consumers)) {
		const name = isNobody(one) ? programName(one) : `${programName(one)}, ${text("purpose." + one.purpose)}`;
		sums[name] = (sums[name] ?? 0) + one.joules;
	}
	const rows = Object.entries(sums).sort((a, b) => b[1] - a[1]).slice(0, MOST_SHARES);
	const build = () => make("li", make("span"), make("span.note"), make("span.share-bar", make("span")));
	list(parts.shares, rows, ([name]) => name, build, ({ children: [words, amount, bar] }, [name, joules]) => {
		const share = joules / (total || 1);
		write(words, name);
		write(amount, `${energy(joules)}, ${percent(share)}`);
		bar.firstChild.style.inlineSize = `${share * 100}%`;
	});
	drawStates(all);
	write(parts.source, text("power.source") + report.estimates.map((one) => ` ${one.receiver}: ${one.chip}, ${one.source}.`).join(""));
}

// A column for each day: filled where programs asked for the energy, hollow where none did.
function drawDays() {
	const most = Math.max(1e-9, ...report.days.map((one) => one.joules));
	const today = Date.parse(report.days[0]?.day) || Date.now();
	const dates = Array.from({ length: days }, (_, index) => new Date(today - (days - 1 - index) * DAY).toISOString().slice(0, 10));
	parts.days.classList.toggle("many", days > 7);
	list(parts.days, dates, (date) => date, () => make("li", make("span"), make("b", make("b.used")), make("span")), (item, date) => {
		const { joules, consumers } = report.days.find((one) => one.day === date) ?? { joules: 0, consumers: [] };
		const idle = consumers.find((one) => one.purpose === "nobody")?.joules ?? 0;
		const [amount, bar, name] = item.children;
		write(amount, joules ? energy(joules) : "");
		bar.hidden = !joules;
		bar.style.height = `${(joules / most) * 8}rem`;
		bar.firstChild.style.height = `${(1 - idle / joules) * 100}%`;
		write(name, day(date, { weekday: "short" }));
		item.title = `${day(date)}: ${energy(joules)}`;
	});
}

function drawStates(all) {
	const shown = STATES.map((name) => ({ name, seconds: all.reduce((sum, one) => sum + one[name], 0) })).filter((one) => one.seconds > 0);
	const nameOf = (one) => one.name;
	list(parts.states, shown, nameOf, ({ name }) => make(`span.state-${name}`), (item, one) => (item.style.flexGrow = one.seconds));
	list(parts.stateWords, shown, nameOf, ({ name }) => make("li", make(`span.patch.state-${name}`), make("span")), (item, one) =>
		write(item.lastChild, `${text("powerState." + one.name)} ${span(one.seconds)}`));
}
