// The map: coasts, fences, tracks, and the position with its circle of R68.

import { device, isCurrent, on } from "../device.js";
import { icon, make, write } from "../dom.js";
import { day, history, loadDay } from "../history.js";
import { setting } from "../settings.js";
import { length, plain, text } from "../words.js";
import { BaseMap } from "./basemap.js";
import { circle, colours, dot, Drawing, faintly, label, line, stroke } from "./canvas.js";
import { takeInput } from "./mapinput.js";
import { FARTHEST, Projection } from "./projection.js";

const { PI, floor, hypot, log10, max, min } = Math;
const CLOSEST = 5000; // pixels of a metre
const FIRST_RADIUS = 40; // pixels of R68 at first
const FIRST_SECONDS = 10; // whose way is in sight at first
const ICONS = {
	in: "M12 5v14M5 12h14",
	out: "M5 12h14",
	follow: "M12 2v4m0 12v4M2 12h4m12 0h4M12 7a5 5 0 1 0 0 10a5 5 0 1 0 0-10",
};

export class Map {
	// `fences()` returns the fences to draw, `draft()` the circle that is being edited or null.
	constructor(parent, fences = () => [], draft = () => null) {
		this.fences = fences;
		this.draft = draft;
		this.isFollowing = true;
		this.scale = 0; // pixels of a metre
		this.projection = new Projection(30, 10);
		this.drawing = new Drawing(parent, "map", text("map.title"), (...pen) => this.draw(...pen));
		this.base = new BaseMap(this.drawing.ask);
		this.canvas = this.drawing.canvas;
		Object.assign(this.canvas, { role: "application", ariaDescription: text("map.keys"), tabIndex: 0 });
		takeInput(this);
		this.credit = make("p.credit");
		this.drawing.element.append(this.buttons(), this.credit);
		this.stop = on("location connection", () => this.follow());
		this.follow();
	}

	remove() {
		this.stop();
		this.drawing.remove();
	}

	buttons() {
		const actions = { in: () => this.zoom(2), out: () => this.zoom(0.5), follow: () => this.recentre() };
		const buttons = Object.entries(actions).map(([name, onclick]) => {
			const words = text("map." + name);
			return make("button", { "aria-label": words, title: words, onclick }, icon(ICONS[name]));
		});
		this.followButton = buttons[2];
		return make("div.map-buttons", ...buttons);
	}

	follow() {
		loadDay();
		if (this.isFollowing && device.position) this.projection = new Projection(device.position.latitude, device.position.longitude);
		this.drawing.ask();
	}

	recentre() {
		this.isFollowing = true;
		this.scale = max(this.scale, this.firstScale());
		this.follow();
	}

	firstScale() {
		const { horizontalAccuracy, speed } = device.position ?? {};
		if (!horizontalAccuracy) return 0;
		const way = max(1, (speed ?? 0) * FIRST_SECONDS);
		return min(CLOSEST, FIRST_RADIUS / horizontalAccuracy, min(this.drawing.width, this.drawing.height) / 2 / way);
	}

	lookAt(point, radius) {
		this.isFollowing = false;
		this.isPlaced = true;
		this.projection = new Projection(point.latitude, point.longitude);
		if (radius) this.scale = min(5, min(this.drawing.width, this.drawing.height) / 3 / radius);
		this.drawing.ask();
	}

	// The scale that shows the world.
	get smallest() {
		return min(this.drawing.width, this.drawing.height) / 2 / FARTHEST;
	}

	// Zooms about a point of the canvas, which keeps its place; about the centre while following.
	zoom(factor, x = this.drawing.width / 2, y = this.drawing.height / 2) {
		const before = this.scale;
		this.scale = min(CLOSEST, max(this.smallest, this.scale * factor));
		const change = this.scale / before - 1;
		if (!this.isFollowing) this.pan((this.drawing.width / 2 - x) * change, (this.drawing.height / 2 - y) * change);
		this.drawing.ask();
	}

	// Moves the map by pixels.
	pan(right, down) {
		this.isFollowing = false;
		this.projection = new Projection(...this.projection.earth(-right / this.scale, down / this.scale));
		this.drawing.ask();
	}

	earth(x, y) {
		return this.projection.earth((x - this.drawing.width / 2) / this.scale, (this.drawing.height / 2 - y) / this.scale);
	}

	screen({ latitude, longitude }) {
		const [east, north] = this.projection.plane(latitude, longitude);
		return [this.drawing.width / 2 + east * this.scale, this.drawing.height / 2 - north * this.scale];
	}

	draw(pen, width, height) {
		// The world until the first position.
		if (!this.isPlaced) this.scale = this.firstScale() || this.smallest;
		this.isPlaced ||= device.position !== null;
		this.followButton.ariaPressed = this.isFollowing;
		write(this.credit, this.base.draw(pen, width, height, this.projection, this.scale, this.drawing.ratio));
		for (const fence of this.fences()) this.drawFence(pen, fence);
		this.drawTrack(pen, day, 2);
		this.drawTrack(pen, history, 3);
		if (device.position) this.drawDevice(pen, device.position);
		if (this.draft()) this.drawDraft(pen, this.draft());
		this.drawScale(pen, height);
		const radius = device.position ? length(device.position.horizontalAccuracy) : "–";
		this.canvas.ariaLabel = text("map.describe", { width: length(width / this.scale), radius });
	}

	drawFence(pen, { condition, state }) {
		const ink = colours();
		const colour = state === "satisfied" ? ink.good : ink.other;
		const dash = state === "unmonitored" || state === "unknown" ? [6, 5] : [];
		const { circle: round, polygon, corridor } = condition;
		if (!round && !polygon && !corridor) return;
		const points = (polygon?.ring ?? corridor?.path ?? [round.center]).map((point) => this.screen(point));
		const reach = round?.radius * this.scale;
		if (round) circle(pen, ...points[0], max(3, reach));
		else {
			pen.beginPath();
			line(pen, ...points);
			if (polygon) pen.closePath();
			for (const hole of polygon?.holes ?? []) line(pen, ...[...hole, hole[0]].map((point) => this.screen(point)));
		}
		if (corridor) faintly(pen, 0.3, () => stroke(pen, max(2, corridor.width * this.scale), colour));
		else {
			pen.fillStyle = colour;
			faintly(pen, 0.12, () => pen.fill("evenodd"));
			stroke(pen, 2, colour, dash);
		}
		if (reach < 2) return;
		// The name is where the circle is in sight.
		const { width, height } = this.drawing;
		let [x, y] = points[0];
		if (hypot(max(-x, 0, x - width), max(-y, 0, y - height)) < reach) {
			x = min(max(x, 0), width - 90);
			y = min(max(y, 90), height - 40);
		}
		label(pen, condition.identifier.slice(0, 40), x + 8, y - 8, ink.text, ink.ground);
	}

	drawTrack(pen, points, width) {
		pen.beginPath();
		for (const point of points) pen[point.begins ? "moveTo" : "lineTo"](...this.screen(point));
		faintly(pen, 0.75, () => stroke(pen, width, colours().accent));
	}

	drawDevice(pen, location) {
		const ink = colours();
		const colour = isCurrent() ? ink.accent : ink.muted;
		const [x, y] = this.screen(location);
		const radius = location.horizontalAccuracy * this.scale;
		if (radius > 6) {
			faintly(pen, 0.2, () => dot(pen, x, y, radius, colour));
			stroke(pen, 2, colour);
			circle(pen, x, y, radius * 2);
			faintly(pen, 0.6, () => stroke(pen, 1, colour));
		}
		if (location.course !== undefined && location.speed > 0.5) this.drawCourse(pen, x, y, location.course, ink.card, colour);
		dot(pen, x, y, 8, ink.card);
		dot(pen, x, y, 5.5, colour);
	}

	drawCourse(pen, x, y, course, halo, colour) {
		pen.save();
		pen.translate(x, y);
		pen.rotate((course * PI) / 180);
		pen.beginPath();
		line(pen, [-7, -10], [0, -27], [7, -10]);
		pen.closePath();
		stroke(pen, 3, halo);
		pen.fillStyle = colour;
		pen.fill();
		pen.restore();
	}

	drawDraft(pen, draft) {
		const { warn } = colours();
		const [x, y] = this.screen(draft);
		const radius = draft.radius * this.scale;
		circle(pen, x, y, radius);
		stroke(pen, 2.5, warn, [7, 5]);
		dot(pen, x, y, 8, warn);
		dot(pen, x + radius, y, 8, warn);
	}

	drawScale(pen, height) {
		const { text: colour, ground } = colours();
		const unit = setting("units") === "imperial" ? 0.3048 : 1;
		const longest = 110 / this.scale / unit;
		const power = 10 ** floor(log10(longest));
		const metres = [5, 2, 1].find((factor) => factor * power <= longest) * power * unit;
		const right = 14 + metres * this.scale, bottom = height - 14;
		pen.beginPath();
		line(pen, [14, bottom - 6], [14, bottom], [right, bottom], [right, bottom - 6]);
		stroke(pen, 5, ground);
		stroke(pen, 2, colour);
		label(pen, plain(length(metres)), 20, bottom - 6, colour, ground);
	}
}
