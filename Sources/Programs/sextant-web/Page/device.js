// The device as the server last told it, and the one stream of this page. A hidden page has no stream, so it costs no energy.

import { setting } from "./settings.js";

export const device = {
	connection: "connecting", // open, daemonAway, serverAway, full, otherVersion
	detail: null, // why the daemon is away, in its own words
	mayEdit: false,
	update: null, // the last event `location`, as Location.Subscribe replies
	position: null, // the last location in it
	receivers: null,
	unconfirmedPorts: [],
	status: null,
	consumers: null,
	visit: null,
	monitorUpdates: [], // replies of Monitor.Watch that no view has taken yet
	refused: {}, // streams that the daemon has refused, with its errors
};

const MOST_FAILURES = 10; // before a button replaces further attempts
const listeners = {};
const changed = new Set();
let source = null;
let opened = "";
let wanted = [];
let failures = 0;
let isFull = false;
let version = null;
let positionTime = 0;

// Calls `listener` before the next frame when one of these has changed: connection, location, receivers, status, monitors, visits.
// Returns a function that ends it.
export function on(kinds, listener) {
	for (const kind of kinds.split(" ")) (listeners[kind] ??= new Set()).add(listener);
	return () => kinds.split(" ").forEach((kind) => listeners[kind].delete(listener));
}

function change(kind) {
	if (!changed.size) requestAnimationFrame(tell);
	changed.add(kind);
}

function tell() {
	const called = new Set([...changed].flatMap((kind) => [...(listeners[kind] ?? [])]));
	changed.clear();
	for (const listener of called) listener();
}

// Seconds since the position was true, by the page's own clock: it grows when nothing comes any more.
export const positionAge = () => (performance.now() - positionTime) / 1000;

// Seconds after which a position is called old, because some updates are missing.
const OLD = { live: 5, saving: 17, watch: 90 };
// An approximate location comes every quarter of an hour.
export const limit = () => (device.update.accuracyLimited ? 1200 : OLD[setting("pace")]);
export const isLate = () => device.connection === "open" && device.update?.location && !device.update.stationary && positionAge() > limit();
export const isCurrent = () => device.connection === "open" && device.update?.location && !device.update.locationUnavailable && !isLate();

const DENIAL = /^authorization|^insufficientlyInUse|^serviceSessionRequired/;
// Whether a reply of the daemon says that the location may not be known.
export const isDenied = (reply) => Object.keys(reply ?? {}).some((flag) => DENIAL.test(flag));

// Opens the stream with what the views in sight need beside the location.
export function open(includes = wanted) {
	wanted = includes;
	if (document.visibilityState !== "visible") return;
	const query = `pace=${setting("pace")}&include=${wanted.join(",")}`;
	if (source && opened === query) return;
	// The server keeps the request for positions for half a second.
	close();
	opened = query;
	source = new EventSource(`events?${query}`);
	source.onerror = failed;
	for (const [name, take] of Object.entries(events)) source.addEventListener(name, (event) => take(JSON.parse(event.data)));
}

function close() {
	source?.close();
	source = null;
}

function connect(state, detail = null) {
	device.connection = state;
	device.detail = detail;
	change("connection");
}

function failed() {
	failures += 1;
	// The browser connects again by itself, unless the answer was no stream.
	const isOver = failures >= MOST_FAILURES;
	if (isOver || source?.readyState === EventSource.CLOSED) {
		close();
		if (!isOver) setTimeout(open, 2000);
	}
	connect(isOver ? "serverAway" : "connecting");
}

const events = {
	hello(data) {
		failures = 0;
		device.mayEdit = data.edit === true;
		device.refused = {};
		version ??= data.version;
		if (data.version === version) return connect("open");
		close();
		connect("otherVersion");
	},
	daemon(data) {
		connect(data.connected ? "open" : "daemonAway", data.detail ?? null);
		if (data.connected) return;
		device.receivers = device.status = device.consumers = null;
		change("receivers");
	},
	location(data) {
		device.update = data;
		isFull = false;
		if (device.connection !== "open") connect("open");
		if (data.location) {
			device.position = data.location;
			positionTime = performance.now() - ((data.age ?? 0) + (data.heldFor ?? 0)) * 1000;
		}
		change("location");
	},
	receivers(data) {
		device.receivers = data.receivers;
		device.unconfirmedPorts = data.unconfirmedPorts ?? [];
		change("receivers");
	},
	status(data) {
		device.status = data.status ?? device.status;
		device.consumers = data.consumers ? { ...data, time: performance.now() - (data.heldFor ?? 0) * 1000 } : null;
		change("status");
	},
	visits(data) {
		device.visit = data.visit ?? null;
		change("visits");
	},
	monitors(data) {
		device.monitorUpdates.push(data);
		change("monitors");
	},
	refused(data) {
		device.refused[data.stream] = data;
		change("connection");
	},
	// The server asks for a new stream, so that a page that has stopped gets no more.
	renew() {
		opened = "";
		open();
	},
	// Too many windows. A stream that this page has just closed may still count.
	full() {
		close();
		if (isFull) connect("full");
		else setTimeout(open, 500);
		isFull = !isFull;
	},
};

// Nothing has come for long: asks whether the daemon is still there.
export async function probe() {
	try {
		await call("Manager.GetStatus");
		if (device.connection !== "open") connect("open");
	} catch (error) {
		connect(error.name === "Error" ? "daemonAway" : "serverAway");
	}
}

// Calls a method of the daemon. The message of an error is the daemon's reason.
export async function call(method, parameters = {}) {
	const headers = { "Content-Type": "application/json", "Sextant-Request": "1" };
	const reply = await fetch(`call/io.sextant.${method}`, { method: "POST", headers, body: JSON.stringify(parameters), signal: AbortSignal.timeout(10000) });
	const data = await reply.json().catch(() => ({}));
	if (reply.ok) return data;
	throw new Error(data.parameters?.reason ?? data.parameters?.detail ?? data.error ?? reply.statusText);
}

const MOST_NAMES = 200;
const names = new Map();
let hasNames = true;

// The name of a place, asked once for each hundred metres; not again if there is no data of places.
export async function placeName({ latitude, longitude }) {
	const key = `${latitude.toFixed(3)} ${longitude.toFixed(3)}`;
	if (!names.has(key) && hasNames) {
		if (names.size > MOST_NAMES) names.clear();
		names.set(key, "");
		const reply = await call("Places.Reverse", { latitude, longitude, language: document.documentElement.lang }).catch(() => null);
		hasNames = reply !== null;
		const { locality, name, administrativeArea, country } = reply?.placemarks[0] ?? {};
		names.set(key, [...new Set([locality ?? name, administrativeArea, country])].filter(Boolean).join(", "));
	}
	return names.get(key) ?? "";
}

document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? open() : close()));
document.addEventListener("freeze", close);
addEventListener("pagehide", close);
addEventListener("pageshow", () => open());
