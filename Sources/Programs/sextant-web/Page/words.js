// Writes values for people: texts of the chosen language, numbers with their units, angles, times.

import { setting } from "./settings.js";

const { abs, floor, max, round } = Math;
let words = {};
let locale = "en";
let plural = null;
const formats = new Map();

export async function loadWords() {
	const wanted = setting("language") === "auto" ? navigator.language : setting("language");
	const language = wanted?.startsWith("de") ? "de" : "en";
	words = await (await fetch(`languages/${language}.json`)).json();
	// Numbers and dates follow the browser if it has the same language, such as de-AT.
	locale = navigator.language?.startsWith(language) ? navigator.language : language;
	plural = new Intl.PluralRules(locale);
	formats.clear();
	document.documentElement.lang = language;
}

// The text with this key. {name} stands for a value; `key.one` is used where the language has a form of its own for the number `n`.
export function text(key, values = {}) {
	const form = words[`${key}.${typeof values.n === "number" ? plural.select(values.n) : ""}`] ?? words[key] ?? key;
	return form.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

// Writes the texts of elements with data-text, and the labels of those with data-label.
export function translate() {
	for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
	for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", text(element.dataset.label));
}

// Formatters are slow to make, and kept.
function format(Kind, options) {
	const key = JSON.stringify(options);
	if (!formats.has(key)) formats.set(key, new Kind(locale, options));
	return formats.get(key);
}

export const number = (value, digits = 0) =>
	format(Intl.NumberFormat, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value).replace("-", "−");

const withUnit = (value, digits, unit) => `${number(value, digits)}\u202f${unit}`;
const short = (value, unit) => withUnit(value, abs(value) < 9.95 ? 1 : 0, unit);

// "5 s" for "5.0 s".
export const plain = (written) => written.replace(/[.,]0(?=\u202f)/, "");

export function length(metres) {
	const units = setting("units");
	if (units === "imperial" && metres < 0.3) return short(metres / 0.0254, "in");
	if (units === "imperial") return metres < 800 ? short(metres / 0.3048, "ft") : short(metres / 1609.344, "mi");
	if (metres < 0.0005) return withUnit(0, 0, "m");
	if (metres < 0.995) return short(metres * 100, "cm");
	if (units === "nautical" && metres >= 1852) return short(metres / 1852, "NM");
	return metres < 1000 ? short(metres, "m") : withUnit(metres / 1000, metres < 99500 ? 1 : 0, "km");
}

export const altitude = (metres) => (setting("units") === "imperial" ? withUnit(metres / 0.3048, 0, "ft") : withUnit(metres, 1, "m"));

export function speed(metresPerSecond) {
	const [factor, unit] = { metric: [3.6, "km/h"], nautical: [3600 / 1852, "kn"], imperial: [3600 / 1609.344, "mph"] }[setting("units")];
	return withUnit(metresPerSecond * factor, 1, unit);
}

export const degrees = (value) => `${number(value)}°`;

export function direction(value) {
	const names = text("compass").split(" ");
	return `${degrees(value)} ${names[round((value * names.length) / 360) % names.length]}`;
}

export const energy = (joules) => (joules >= 3600 ? short(joules / 3600, "Wh") : withUnit(joules, joules < 100 ? 1 : 0, "J"));
export const percent = (share) => short(share * 100, "%");
export const milliwatts = (value) => short(value, "mW");

// One of the two angles of a position, with decimals that suit the accuracy.
function angle(value, letter, accuracy) {
	const form = setting("coordinates");
	const size = abs(value), more = accuracy < 1 ? 1 : accuracy > 500 ? -2 : 0;
	// Rounded before it is split, so that no 60 minutes or seconds appear.
	const rounded = (parts, digits) => round(size * parts * 10 ** digits) / 10 ** digits;
	if (form === "minutes") {
		const minutes = rounded(60, 4 + more);
		return `${floor(minutes / 60)}° ${number(minutes % 60, 4 + more)}′ ${letter}`;
	}
	if (form === "seconds") {
		const seconds = rounded(3600, 2 + more);
		return `${floor(seconds / 3600)}° ${floor(seconds / 60) % 60}′ ${number(seconds % 60, 2 + more)}″ ${letter}`;
	}
	return `${number(size, 5 + more)}° ${letter}`;
}

let utm = null;

// The position as two texts: latitude and longitude, or zone with easting, and northing.
export function position(latitude, longitude, accuracy = 5) {
	if (setting("coordinates") === "utm") {
		if (!utm) import("./utm.js").then((module) => (utm = module.utm));
		const grid = utm?.(latitude, longitude);
		const step = accuracy > 500 ? 100 : 1, whole = (metres) => number(round(metres / step) * step);
		if (grid) return [`${grid.zone} ${whole(grid.easting)} ${text("east")}`, `${whole(grid.northing)} ${text("north")}`];
	}
	return [angle(latitude, text(latitude < 0 ? "south" : "north"), accuracy), angle(longitude, text(longitude < 0 ? "west" : "east"), accuracy)];
}

// A time span in seconds, in its largest unit or two.
export function span(seconds) {
	if (seconds < 120) return short(max(0, seconds), "s");
	if (seconds < 7200) return withUnit(seconds / 60, 0, "min");
	const hours = floor(seconds / 3600), minutes = floor(seconds / 60) % 60;
	if (hours >= 48) return text("days", { n: floor(hours / 24) });
	return withUnit(hours, 0, "h") + (minutes ? " " + withUnit(minutes, 0, "min") : "");
}

const zone = () => (setting("clock") === "utc" ? "UTC" : undefined);

export function clock(date, withSeconds = false) {
	const options = { hour: "2-digit", minute: "2-digit", second: withSeconds ? "2-digit" : undefined, timeZone: zone() };
	return format(Intl.DateTimeFormat, options).format(new Date(date)) + (zone() ? " UTC" : "");
}

// A day; one of the daemon's days is in UTC.
export function day(date, options = { weekday: "short", day: "numeric", month: "short" }) {
	const timeZone = typeof date === "string" && date.length === 10 ? "UTC" : zone();
	return format(Intl.DateTimeFormat, { ...options, timeZone }).format(new Date(date));
}

// A moment: the time alone if it is today.
export const moment = (date) => (day(date) === day(Date.now()) ? "" : `${day(date)}, `) + clock(date);

// An object that everybody knows, about twice as large as the radius.
export function familiarObject(radius) {
	const sizes = [0.03, 0.15, 0.6, 1.5, 3, 6, 12, 25, 80, 300, 2000, Infinity];
	return text("size." + sizes.findIndex((size) => radius < size));
}

// A program as the daemon names it, "1000:user:app.service": its unit, or the user if it is no service.
export function programText(program) {
	const [user, ...unit] = program.split("/")[0].split(":");
	return unit.at(-1) ?? text("user", { user });
}
