// Makes and changes elements. Texts are always text nodes: names of fences and programs are hostile.

import { text } from "./words.js";

// make("p.note", {lang: "en"}, "text", child…): a tag with classes, its attributes if it has any, and its children.
export function make(description, ...rest) {
	const [tag, ...classes] = description.split(".");
	const element = document.createElement(tag);
	if (classes.length) element.className = classes.join(" ");
	const attributes = rest[0]?.constructor === Object ? rest.shift() : {};
	if (tag === "button") attributes.type ??= "button";
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...rest);
	return element;
}

// Sets the text only if it differs: screen readers stay undisturbed.
export function write(element, text) {
	const value = text ?? "";
	if (element.textContent !== value) element.textContent = value;
}

export const show = (element, isVisible) => element.toggleAttribute("hidden", !isVisible);

export const byId = (id) => document.getElementById(id);

// Keeps a child of `parent` for each item: `build(item)` makes it, `update(child, item)` fills it. While its key stays, it keeps
// focus and selection.
export function list(parent, items, key, build, update) {
	const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
	items.forEach((item, index) => {
		const name = key(item), child = known.get(name) ?? build(item), there = parent.children[index] ?? null;
		child.dataset.key = name;
		if (child !== there) parent.insertBefore(child, there);
		update(child, item);
	});
	while (parent.children.length > items.length) parent.lastChild.remove();
}

// Names and values, with a label of the language for each.
export function drawFacts(element, labels, facts) {
	const build = ([name]) => make("div", make("dt", text(labels + name)), make("dd"));
	list(element, Object.entries(facts), ([name]) => name, build, (row, [, value]) => write(row.lastChild, value || "–"));
}

// An icon of lines: `path` as in SVG, in a square of 24.
export function icon(path) {
	const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	image.setAttribute("viewBox", "0 0 24 24");
	image.setAttribute("aria-hidden", "true");
	const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
	line.setAttribute("d", path);
	image.append(line);
	return image;
}

export function card(title, ...children) {
	return make("section.card", make("h2", title), ...children);
}
