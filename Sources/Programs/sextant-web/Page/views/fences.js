// The view of fences: map, list, events, and a form that adds and changes circles by numbers.

import { device, isCurrent, isDenied, on } from "../device.js";
import { card, list, make, show, write } from "../dom.js";
import { Map } from "../drawing/map.js";
import { fences as known, loadFences, removeFence, saveCircle, watchFences } from "../fences.js";
import { length, moment, plain, programText, span, text } from "../words.js";

const FIRST_RADIUS = 150; // metres
const REFRESH = 5; // seconds between two looks at distances
// The fields of the form with the limits of the daemon. The browser checks them and names the mistake.
const FIELDS = {
	identifier: { required: true, maxlength: 200 },
	latitude: { type: "number", min: -90, max: 90, step: "any", required: true },
	longitude: { type: "number", min: -180, max: 180, step: "any", required: true },
	radius: { type: "number", min: 1, max: 1e6, step: "any", required: true },
	dwell: { type: "number", min: 1, max: 525600, step: "any" },
};
let parts = {};
let stops = [];
let draft = null; // the circle in the form, and the fence that it changes
let age = 0;

export const fences = { begin, end, tick };

function begin(main) {
	parts = { map: card(text("fences.map")), news: "" };
	parts.map.classList.add("map-card");
	main.append(parts.map);
	draft = null;
	parts.drawing = new Map(parts.map, () => known.items.filter((item) => item !== draft?.old), () => draft);
	parts.status = make("p.note", { role: "status" });
	parts.add = make("button.main", { onclick: () => edit(null) }, text("fences.add", { radius: plain(length(FIRST_RADIUS)) }));
	parts.form = make("form.editor", { hidden: true, onsubmit: save, onkeydown: (event) => event.key === "Escape" && closeForm() });
	parts.list = make("ul.items");
	parts.events = make("ul.items");
	const all = card(text("fences.title"), parts.add, parts.form, parts.status, parts.list);
	main.append(make("div.column", all, card(text("fences.events"), make("p.note", text("fences.noEvents")), parts.events)));
	stops = [watchFences(refresh), on("location connection", draw)];
	draw();
	refresh();
}

function end() {
	for (const stop of stops) stop();
	parts.drawing.remove();
}

function tick() {
	age += 1;
	if (age >= REFRESH && device.connection === "open") refresh();
}

async function refresh() {
	age = 0;
	await loadFences();
	draw();
}

function draw() {
	show(parts.add, device.mayEdit && !draft);
	parts.add.disabled = !isCurrent() || device.position.accuracySource === "reduced";
	const none = !known.isLoaded ? "pulse.waiting" : parts.add.disabled ? "fences.needsPosition" : known.items.length ? "" : "fences.none";
	write(parts.status, known.error ? text("fences.error", { reason: known.error }) : parts.news || text(none));
	list(parts.list, known.items, (item) => `${item.program} ${item.monitor} ${item.condition.identifier}`, build, fill);
	list(parts.events, known.events, (event) => `${event.monitor} ${event.id}`, () => make("li", make("span"), make("p.note")), (item, event) => {
		write(item.firstChild, text("event." + event.kind, { name: event.identifier, state: text("fenceState." + event.state) }));
		write(item.lastChild, `${moment(event.date ?? event.recorded)}, ${event.monitor}`);
	});
	parts.drawing.drawing.ask();
}

function build(item) {
	const name = make("button.plain.item-name", { onclick: () => lookAt(row.item.condition) }, item.condition.identifier);
	const named = { "aria-description": item.condition.identifier };
	const buttons = make("div.buttons");
	const row = make("li", make("div.head", name, make("span.tag.state")), make("p"), make("p.note"), make("p.warn"), buttons);
	if (device.mayEdit && item.condition.circle) buttons.append(make("button", { onclick: () => edit(row.item), ...named }, text("fences.edit")));
	if (device.mayEdit) buttons.append(make("button.danger", { onclick: (event) => remove(event.target, row.item), ...named }, text("fences.delete")));
	return row;
}

function fill(row, item) {
	row.item = item;
	row.dataset.state = item.state;
	const [head, where, note, warn] = row.children;
	write(head.lastChild, text("fenceState." + item.state));
	const distance = item.distance === undefined ? "" : text(item.distance < 0 ? "fences.outside" : "fences.inside", { distance: length(Math.abs(item.distance)) });
	write(where, [shape(item.condition), distance].filter(Boolean).join(", "));
	const since = item.since ? text("fences.since", { time: moment(item.since) }) : "";
	write(note, since + text("fences.owner", { monitor: item.monitor, program: programText(item.program) }));
	write(warn, warning(item));
}

function shape({ circle, polygon, corridor, visits, dwell }) {
	const staying = dwell ? text("fences.dwell", { time: plain(span(dwell)) }) : "";
	if (circle) return text("shape.circle", { radius: plain(length(circle.radius)) }) + staying;
	if (polygon) return text("shape.polygon", { n: polygon.ring.length }) + staying;
	if (corridor) return text("shape.corridor", { width: plain(length(corridor.width)) }) + staying;
	return text(visits ? "shape.visits" : "shape.change");
}

function warning(item) {
	if (item.conditionLimitExceeded) return text("fences.limit");
	if (item.persistenceUnavailable) return text("fences.unsaved");
	if (item.radiusTooSmall) return text("fences.tooSmall", { radius: device.position ? length(device.position.horizontalAccuracy) : "–" });
	return isDenied(item) ? text("fences.denied") : "";
}

function lookAt({ circle, polygon, corridor }) {
	const point = circle?.center ?? polygon?.ring[0] ?? corridor?.path[0];
	if (point) parts.drawing.lookAt(point, circle?.radius);
}

// Opens the form: for a new circle around the device, or for a fence that exists.
function edit(old) {
	const circle = old?.condition.circle ?? { center: device.position, radius: FIRST_RADIUS };
	const { latitude, longitude } = circle.center;
	draft = { old, latitude, longitude, radius: circle.radius, changed: fillForm };
	const fields = Object.entries(FIELDS).map(([name, limits]) =>
		make("label", text("field." + name), make("input", { name, autocomplete: "off", oninput: readForm, ...limits })));
	const save = make("button.main", { type: "submit" }, text("fences.save"));
	const cancel = make("button", { onclick: closeForm }, text("fences.cancel"));
	parts.problem = make("p.warn", { role: "alert" });
	const title = make("h3", text(old ? "fences.change" : "fences.new"));
	parts.form.replaceChildren(title, make("div.fields", ...fields), make("p.note", text("fences.drag")), parts.problem, make("div.buttons", save, cancel));
	const { identifier, dwell } = parts.form.elements;
	identifier.value = old?.condition.identifier ?? "";
	dwell.value = old?.condition.dwell ? old.condition.dwell / 60 : "";
	show(parts.form, true);
	fillForm();
	lookAt({ circle });
	draw();
	identifier.focus();
}

function fillForm() {
	const { latitude, longitude, radius } = parts.form.elements;
	latitude.value = draft.latitude.toFixed(6);
	longitude.value = draft.longitude.toFixed(6);
	radius.value = draft.radius;
}

function readForm() {
	const { latitude, longitude, radius } = parts.form.elements;
	for (const field of [latitude, longitude, radius]) if (field.validity.valid) draft[field.name] = field.valueAsNumber;
	parts.drawing.drawing.ask();
}

async function save(event) {
	event.preventDefault();
	const { elements } = parts.form;
	const identifier = elements.identifier.value.trim();
	const { old } = draft;
	const monitor = old?.monitor ?? "web";
	const isTaken = known.items.some((item) => item !== old && item.monitor === monitor && item.condition.identifier === identifier);
	if (isTaken) return write(parts.problem, text("fences.taken"));
	try {
		await saveCircle({ ...draft, identifier, dwell: elements.dwell.valueAsNumber * 60 }, monitor, old);
	} catch (error) {
		return write(parts.problem, text("fences.error", { reason: error.message }));
	}
	parts.news = text("fences.saved", { name: identifier });
	closeForm();
	refresh();
}

function closeForm() {
	draft = null;
	show(parts.form, false);
	draw();
	parts.add.focus();
}

// The first press asks, the second deletes.
async function remove(button, item) {
	const name = item.condition.identifier;
	if (!button.dataset.sure) {
		button.dataset.sure = "yes";
		write(button, text("fences.really", { name }));
		button.onblur = () => {
			delete button.dataset.sure;
			write(button, text("fences.delete"));
		};
		return;
	}
	parts.news = await removeFence(item).then(() => text("fences.deleted", { name }), (error) => text("fences.error", { reason: error.message }));
	parts.add.focus();
	refresh();
}
