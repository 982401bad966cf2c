// A canvas at the screen's resolution, drawn once per frame, with the colours of the page.

import { make } from "../dom.js";

const NAMES = "ground card raised line text muted accent good warn sea land coast gps glonass galileo beidou other".split(" ");
let ink = null;
const forget = () => (ink = null);
addEventListener("theme", forget);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("theme")));

// The colours: a probe resolves light-dark() of the style sheet.
export function colours() {
	if (ink) return ink;
	const probe = make("span", { hidden: true });
	document.body.append(probe);
	ink = {};
	for (const name of NAMES) {
		probe.style.color = `var(--${name})`;
		ink[name] = getComputedStyle(probe).color;
	}
	probe.remove();
	return ink;
}

export class Drawing {
	// `draw(pen, width, height)` draws in CSS pixels.
	constructor(parent, className, label, draw) {
		this.canvas = make("canvas", { role: "img", "aria-label": label });
		this.element = make(`div.drawing.${className}`, this.canvas);
		this.draw = draw;
		this.pen = this.canvas.getContext("2d");
		this.width = this.height = 0;
		this.ask = this.ask.bind(this);
		parent.append(this.element);
		this.observer = new ResizeObserver(() => this.fit());
		this.observer.observe(this.element);
		addEventListener("theme", this.ask);
	}

	remove() {
		this.observer.disconnect();
		removeEventListener("theme", this.ask);
		this.element.remove();
	}

	// Draws again, with words for screen readers.
	show(label) {
		this.canvas.ariaLabel = label;
		this.ask();
	}

	fit() {
		this.width = this.element.clientWidth;
		this.height = this.element.clientHeight;
		this.ratio = devicePixelRatio;
		this.canvas.width = Math.round(this.width * this.ratio);
		this.canvas.height = Math.round(this.height * this.ratio);
		this.paint();
	}

	// Draws before the next frame, once.
	ask() {
		this.frame ??= requestAnimationFrame(() => this.paint());
	}

	paint() {
		this.frame = undefined;
		if (!this.width || !this.height) return;
		const { pen } = this;
		pen.reset();
		pen.scale(this.ratio, this.ratio);
		font(pen, 12);
		pen.lineJoin = "round";
		this.draw(pen, this.width, this.height);
	}
}

export function font(pen, size, weight = 400) {
	pen.font = `${weight} ${size}px system-ui, sans-serif`;
}

// A line through points in pixels.
export function line(pen, ...points) {
	points.forEach(([x, y], index) => (index ? pen.lineTo(x, y) : pen.moveTo(x, y)));
}

// Two lines through a point.
export function cross(pen, x, y, reach) {
	pen.beginPath();
	line(pen, [x - reach, y], [x + reach, y]);
	line(pen, [x, y - reach], [x, y + reach]);
	stroke(pen, 1, colours().line);
}

// A path of one circle.
export function circle(pen, x, y, radius) {
	pen.beginPath();
	pen.arc(x, y, radius, 0, 2 * Math.PI);
}

export function dot(pen, x, y, radius, colour) {
	circle(pen, x, y, radius);
	pen.fillStyle = colour;
	pen.fill();
}

export function stroke(pen, width, colour, dash = []) {
	pen.lineWidth = width;
	pen.strokeStyle = colour;
	pen.setLineDash(dash);
	pen.stroke();
	pen.setLineDash([]);
}

// Draws with a part of its opacity.
export function faintly(pen, opacity, draw) {
	pen.globalAlpha = opacity;
	draw();
	pen.globalAlpha = 1;
}

// A text with a halo, readable above lines.
export function label(pen, text, x, y, colour, halo) {
	pen.lineWidth = 3;
	pen.strokeStyle = halo;
	pen.strokeText(text, x, y);
	pen.fillStyle = colour;
	pen.fillText(text, x, y);
}
