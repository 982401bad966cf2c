// The fences of all programs that this page may see, and what happened to them while it was open.

import { call, device, on } from "./device.js";

const MOST_EVENTS = 50;

export const fences = { items: [], events: [], error: null, isLoaded: false };

// Asks for all monitors and their conditions. Each item is a record with the name and the program of its monitor.
export async function loadFences() {
	try {
		const items = [];
		for (const { name, program } of (await call("Monitor.ListMonitors")).monitors) {
			let after;
			do {
				const page = await call("Monitor.List", { name, program, after });
				items.push(...page.records.map((record) => ({ ...record, monitor: name, program })));
				after = page.next;
			} while (after);
		}
		Object.assign(fences, { items, error: null, isLoaded: true });
		for (const item of items) for (const event of [item.lastEvent, item.pending]) if (event) addEvent(item.monitor, event);
	} catch (error) {
		fences.error = error.message;
	}
}

function addEvent(monitor, event) {
	if (fences.events.some((known) => known.id === event.id && known.monitor === monitor)) return;
	fences.events.push({ ...event, monitor });
	fences.events.sort((a, b) => Date.parse(b.recorded) - Date.parse(a.recorded));
	fences.events.splice(MOST_EVENTS);
}

// Takes the updates of Monitor.Watch.
export function watchFences(changed) {
	return on("monitors", () => {
		for (const update of device.monitorUpdates.splice(0)) if (update.event) addEvent(update.name, update.event);
		changed();
	});
}

// Saves a circle: replaces the fence with this identifier, and removes `old` if its name has changed.
export async function saveCircle({ identifier, latitude, longitude, radius, dwell }, monitor, old) {
	const condition = { ...old?.condition, identifier, circle: { center: { latitude, longitude }, radius }, dwell: dwell || undefined };
	await call("Monitor.Add", { name: monitor, program: old?.program, conditions: [condition] });
	if (old && old.condition.identifier !== identifier) await removeFence(old);
}

export const removeFence = ({ monitor, program, condition }) => call("Monitor.Remove", { name: monitor, program, identifiers: [condition.identifier] });
