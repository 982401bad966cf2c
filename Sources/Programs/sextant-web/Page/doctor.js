// Finds the first problem between the receiver and the position, from what the daemon reports: the order of `sextant doctor`.

import { device, isCurrent, isDenied, isLate, positionAge } from "./device.js";
import { setting } from "./settings.js";
import { length, number, percent, span, text } from "./words.js";

const POOR_ACCURACY = 100; // metres, as in sextant doctor
const MOST_DAMAGED = 0.01; // share of the lines above which they are called damaged
const STRONG = 30; // dB-Hz that a receiver needs to decode the orbit of a satellite

// The check that a cause of the daemon belongs to, and what to do.
const BLAMED = {
	noReceiver: ["receiver", "plug"], receiverLost: ["receiver", "plug"], permissionDenied: ["port", "portDenied"], portBusy: ["port", "portBusy"],
	receiverSilent: ["data", "silent"], notUnderstood: ["data", "terminal"], binaryProtocol: ["data", "terminal"], antennaFault: ["antenna", "antenna"],
};

// What a check returns: its state, what it found, and for a problem what to do.
const ok = (finding) => ({ state: "ok", finding });
const waiting = (key) => ({ state: "waiting", finding: text(key) });
const skipped = (key = "doctor.notChecked") => ({ state: "skipped", finding: text(key) });
const wrong = (finding, remedy, command) => ({ state: "wrong", finding, remedy: remedy && text("doctor." + remedy), command });
// The same with a finding of the daemon, which is in English, or one of ours.
const reported = (detail, key, remedy, command) => ({ ...wrong(detail ?? text(key), remedy, command), lang: detail ? "en" : undefined });

export const primary = () => device.receivers?.find((one) => one.isPrimary) ?? device.receivers?.[0];
// Receivers that cannot be read, while another one may have a position.
const lost = () => (device.receivers ?? []).filter((one) => /absent|denied|busy|silent/.test(one.state)).map((one) => `${one.name} (${text("receiverState." + one.state)})`).join(", ");
const isAsleep = (one) => one.state === "asleep" || ["asleep", "portClosed"].includes(one.driver?.activity);

// The checks in order, the worst state, and a title that says it in a few words.
export function examine() {
	const checks = [];
	const { locationUnavailable, cause, detail } = device.update ?? {};
	const [blamed, remedy] = (locationUnavailable && BLAMED[cause]) || [];
	let isBlocked = false;
	for (const [name, check] of Object.entries(steps)) {
		const needsReceiver = ["port", "data", "antenna", "fix"].includes(name);
		let result;
		if (isBlocked || (needsReceiver && !primary() && blamed !== name)) result = skipped();
		else if (blamed === name) result = reported(detail, "cause." + cause, remedy, "sextant doctor");
		else result = check();
		isBlocked ||= result.state === "wrong" && name !== "storage" && name !== "antenna";
		checks.push({ name, ...result });
	}
	const problem = checks.find((check) => check.state === "wrong");
	const state = problem ? "wrong" : checks.some((check) => check.state === "waiting") ? "waiting" : "ok";
	return { state, title: title(state, problem, cause), checks };
}

function title(state, problem, cause) {
	if (isLate()) return text("verdict.stale", { age: span(positionAge()) });
	if (state === "waiting") return text("verdict.waiting");
	if (state === "ok") {
		const names = lost();
		return text(names ? "verdict.lost" : device.update.stationary ? "verdict.rest" : "verdict.ok", { names }) + (device.position?.simulated ? text("verdict.simulated") : "");
	}
	if (device.status?.enabled === false) return text("verdict.wrong.off");
	return text(cause && device.connection === "open" ? "cause." + cause : "verdict.wrong." + (device.connection === "serverAway" ? "server" : problem.name));
}

const steps = {
	service() {
		if (device.connection === "daemonAway") return reported(device.detail, "doctor.daemonAway", "startDaemon", "sudo systemctl start sextantd");
		if (device.connection === "serverAway") return wrong(text("doctor.serverAway"), "reopen", "sextant web");
		if (device.connection !== "open") return waiting("pulse." + device.connection);
		if (isLate()) return waiting("pulse.waiting");
		if (device.status?.enabled === false) return wrong(text("doctor.off"), "switchOn", "sudo sextant enable");
		return ok(text("doctor.replies", device.status ?? {}));
	},
	permission() {
		const { update, refused } = device;
		if (!update && !refused.location) return waiting("pulse.waiting");
		if (refused.location || isDenied(update)) {
			return reported(refused.location?.parameters?.detail ?? update?.detail, "doctor.denied", "grant", "sudo sextant grant sextant-web");
		}
		return ok(text(update.accuracyLimited ? "doctor.reduced" : "doctor.full"));
	},
	storage() {
		const state = device.status?.state;
		if (!state) return skipped();
		if (state.problem) return { ...reported(state.problem.reason), remedy: state.problem.remedy };
		return device.status.stateDirectory ? ok(text("doctor.free", { size: number(state.freeBytes / 1e9, 1) })) : skipped("doctor.noState");
	},
	receiver() {
		if (!device.receivers) return waiting("pulse.waiting");
		const one = primary();
		if (!one) return wrong(text("cause.noReceiver"), "plug");
		const maker = [one.identity?.vendor, one.identity?.module].filter(Boolean).join(" ") || one.product;
		return ok([maker ? `${one.name}: ${maker}` : one.name, one.simulated && text("doctor.simulated")].filter(Boolean).join(", "));
	},
	port() {
		const { port, baud } = primary();
		return ok(baud ? text("doctor.baud", { port, n: number(baud) }) : port);
	},
	data() {
		const one = primary();
		if (isAsleep(one)) return ok(text("doctor.asleep"));
		if (one.state === "detectingBaudRate") return waiting("doctor.detecting");
		const { sentences, damaged, share } = damage(one.counts);
		if (sentences + damaged === 0) return waiting("pulse.waiting");
		const finding = text("doctor.sentences", { n: number(sentences), damaged: number(damaged), share: percent(share) });
		return damaged > 20 && share > MOST_DAMAGED ? wrong(finding, "damaged", "sextant receivers") : ok(finding);
	},
	antenna() {
		const said = primary().says.findLast((line) => line.includes("ANT"));
		if (/OPEN|SHORT/.test(said)) return wrong(said, "antenna");
		return /OK/.test(said) ? ok(said) : skipped("doctor.antennaUnknown");
	},
	fix() {
		const { update, position } = device;
		const satellites = primary().satellites;
		const strengths = satellites.map((one) => one.carrierToNoise ?? 0).filter(Boolean);
		const used = new Set(satellites.filter((one) => one.used).map((one) => `${one.system} ${one.number}`)).size;
		const sky = strengths.length ? "; " + text("doctor.sky", { used, n: strengths.length, best: number(Math.max(...strengths)) }) : "";
		if (isCurrent()) {
			if (position.datum) return wrong(text("doctor.datum", position), "setDatum");
			return ok(`${position.mode.toUpperCase()}, ${text("quality." + position.quality)}${sky}`);
		}
		if (isAsleep(primary())) return skipped(setting("pace") === "watch" ? "doctor.watchOnly" : "doctor.asleep");
		if (isLate()) return waiting("pulse.waiting");
		if (!update?.locationUnavailable || update.cause === "starting") return waiting("cause.starting");
		const strong = strengths.filter((one) => one >= STRONG).length;
		return wrong(text("cause." + update.cause) + sky, strengths.length === 0 ? "clearView" : strong < 4 ? "window" : "coldStart", "sextant sky --watch");
	},
	accuracy() {
		if (!isCurrent()) return skipped("doctor.noPosition");
		const { horizontalAccuracy, accuracySource } = device.position;
		const finding = `±\u202f${length(horizontalAccuracy)}`;
		return horizontalAccuracy > POOR_ACCURACY && accuracySource !== "reduced" ? wrong(finding, "poor") : ok(finding);
	},
};

// The lines that arrived damaged, of any kind.
export function damage({ sentences, checksumErrors, missingChecksums, overlong, truncated, malformed }) {
	const damaged = checksumErrors + missingChecksums + overlong + truncated + malformed;
	return { sentences, damaged, share: damaged / Math.max(1, sentences + damaged) };
}
