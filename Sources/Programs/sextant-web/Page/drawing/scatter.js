// Positions at rest about their median, with the circles that hold 50, 68 and 95 % of them. Dashed: the claimed R68.

import { circle, colours, cross, faintly, stroke } from "./canvas.js";

export function drawScatter(pen, width, height, result) {
	if (!result) return;
	const ink = colours();
	const x = width / 2, y = height / 2;
	const reach = Math.min(x, y) - 4;
	const scale = reach / (Math.max(result.r95, result.claim, 1e-3) * 1.25);
	cross(pen, x, y, reach);
	pen.fillStyle = ink.accent;
	faintly(pen, result.points.length > 600 ? 0.25 : 0.5, () => {
		for (const [east, north] of result.points) pen.fillRect(x + east * scale - 1.5, y - north * scale - 1.5, 3, 3);
	});
	circle(pen, x, y, result.claim * scale);
	stroke(pen, 2, ink.warn, [8, 5]);
	for (const radius of [result.r50, result.r68, result.r95]) {
		circle(pen, x, y, radius * scale);
		stroke(pen, 2, ink.text);
	}
}
