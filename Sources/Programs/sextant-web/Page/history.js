// The last hour of this page, in memory only: what charts, track and precision draw.

import { call, device, limit, on } from "./device.js";

const LONGEST = 3600; // points
const REFRESH = 600000; // milliseconds between questions for the day
const STILL = 0.3; // metres per second below which a device is called at rest
export const history = [];
let isInterrupted = true;

function remember() {
	const update = device.update;
	const location = update?.location;
	isInterrupted ||= update?.locationUnavailable === true;
	if (!location || update.locationUnavailable) return;
	const { timestamp, latitude, longitude, altitude, speed, hdop, horizontalAccuracy: radius, satellitesUsed: used } = location;
	const time = Date.parse(timestamp) || Date.now();
	const last = history.at(-1)?.time;
	if (time <= last && time > last - REFRESH) return;
	// A clock that was set back far, or a capture that begins again.
	if (time < last) history.length = 0;
	const satellites = device.receivers?.find((one) => one.name === location.receiver)?.satellites ?? [];
	const strengths = satellites.filter((one) => one.used && one.carrierToNoise).map((one) => one.carrierToNoise);
	const signal = strengths.length ? strengths.reduce((sum, one) => sum + one) / strengths.length : undefined;
	const isStill = update.stationary === true || speed < STILL;
	history.push({ time, begins: isInterrupted || !(time - last < limit() * 1500), latitude, longitude, altitude, speed, hdop, radius, used, signal, isStill });
	isInterrupted = false;
	history.splice(0, history.length - LONGEST);
}

// The recorded track of this day, if the daemon keeps one.
export const day = [];
let dayTime = -Infinity;

export async function loadDay() {
	if (performance.now() - dayTime < REFRESH) return;
	dayTime = performance.now();
	const since = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
	const points = [];
	let after;
	do {
		const reply = await call("Location.Track", { since, after }).catch(() => ({ points: [] }));
		points.push(...reply.points);
		after = reply.next;
	} while (after);
	day.splice(0, day.length, ...points);
}

on("location", remember);
remember();
