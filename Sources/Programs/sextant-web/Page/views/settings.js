// The dialog of the viewer's choices, translated with the page.

import { byId, make } from "../dom.js";
import { choices, choose, setting } from "../settings.js";
import { translate } from "../words.js";

const words = (key) => ({ "data-text": key });

export function openSettings() {
	const dialog = byId("settings");
	const title = make("h2", { id: "settings-title", ...words("settings.title") });
	const close = make("button.main", { onclick: () => dialog.close(), ...words("settings.close") });
	dialog.replaceChildren(title, ...Object.keys(choices).map(row), make("p.note", words("settings.note")), make("p.warn", isSecureContext ? {} : words("settings.plain")), close);
	translate();
	dialog.showModal();
}

function row(name) {
	const id = `setting-${name}`;
	const options = choices[name].map((value) => make("option", { value, selected: value === setting(name), ...words(`${name}.${value}`) }));
	const select = make("select", { id, onchange: () => choose(name, select.value) }, ...options);
	return make("label", make("span", words("settings." + name)), select);
}
