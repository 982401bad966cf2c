// Moves the map by pointer, wheel and keys, and drags the circle that is being edited.

// What keys do: a method of the map with its arguments.
const KEYS = {
	ArrowLeft: ["pan", 60, 0], ArrowRight: ["pan", -60, 0], ArrowUp: ["pan", 0, 60], ArrowDown: ["pan", 0, -60], "+": ["zoom", 1.5],
	"-": ["zoom", 2 / 3], f: ["recentre"],
};
const REACH = 22; // pixels around a handle of the circle

export function takeInput(map) {
	const { canvas } = map;
	const pointers = {};
	let handle = null;

	canvas.addEventListener("pointerdown", (event) => {
		canvas.setPointerCapture(event.pointerId);
		pointers[event.pointerId] = [event.offsetX, event.offsetY];
		handle = handleAt(map, event.offsetX, event.offsetY);
	});
	canvas.addEventListener("pointermove", (event) => {
		const before = pointers[event.pointerId], here = [event.offsetX, event.offsetY];
		if (!before) return;
		const other = Object.entries(pointers).find(([id]) => id !== String(event.pointerId))?.[1];
		if (handle) drag(map, handle, here);
		else if (!other) map.pan(here[0] - before[0], here[1] - before[1]);
		else map.zoom(apart(here, other) / Math.max(1, apart(before, other)), (here[0] + other[0]) / 2, (here[1] + other[1]) / 2);
		pointers[event.pointerId] = here;
	});
	const release = (event) => {
		delete pointers[event.pointerId];
		handle = null;
	};
	canvas.addEventListener("pointerup", release);
	canvas.addEventListener("pointercancel", release);
	canvas.addEventListener("wheel", (event) => {
		event.preventDefault();
		map.zoom(Math.exp(-Math.max(-200, Math.min(200, event.deltaY)) / 250), event.offsetX, event.offsetY);
	}, { passive: false });
	canvas.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
		const [method, ...values] = KEYS[event.key];
		map[method](...values);
		event.preventDefault();
	});
}

const apart = (from, to) => Math.hypot(from[0] - to[0], from[1] - to[1]);

// The part of the edited circle at a point: its centre, its edge, or none.
function handleAt(map, x, y) {
	const draft = map.draft();
	if (!draft) return null;
	const [centreX, centreY] = map.screen(draft);
	if (apart([x, y], [centreX + draft.radius * map.scale, centreY]) < REACH) return "edge";
	return apart([x, y], [centreX, centreY]) < REACH ? "centre" : null;
}

function drag(map, handle, here) {
	const draft = map.draft();
	if (!draft) return;
	if (handle === "centre") [draft.latitude, draft.longitude] = map.earth(...here);
	else draft.radius = Math.max(5, Math.round(apart(here, map.screen(draft)) / map.scale));
	draft.changed();
	map.isFollowing = false;
	map.drawing.ask();
}
