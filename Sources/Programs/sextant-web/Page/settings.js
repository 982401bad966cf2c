// What the viewer has chosen. It stays in this browser.

export const choices = {
	theme: ["auto", "light", "dark", "night"],
	language: ["auto", "en", "de"],
	units: ["metric", "nautical", "imperial"],
	coordinates: ["decimal", "minutes", "seconds", "utm"],
	clock: ["local", "utc"],
	pace: ["saving", "live", "watch"],
};

const KEY = "sextant";
const chosen = read();

function read() {
	try {
		return JSON.parse(localStorage.getItem(KEY)) ?? {};
	} catch {
		return {};
	}
}

export function setting(name) {
	return choices[name].includes(chosen[name]) ? chosen[name] : choices[name][0];
}

export function choose(name, value) {
	chosen[name] = value;
	try {
		localStorage.setItem(KEY, JSON.stringify(chosen));
	} catch {
		// Without storage the choice lasts as long as the page.
	}
	dispatchEvent(new CustomEvent("choice", { detail: name }));
}
