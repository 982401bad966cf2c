// How positions at rest scatter about their median, and how many are within the accuracy that was claimed for them.

import { Projection } from "./drawing/projection.js";

export const LEAST_POINTS = 30;

const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];

// The deviation of the positions since the device came to rest; null if there are too few, or it moves.
export function deviation(history) {
	const still = [];
	for (let index = history.length - 1; index >= 0 && history[index].isStill; index--) still.push(history[index]);
	if (still.length < LEAST_POINTS) return null;
	// Offsets from the newest one first: the median of longitudes would fail at the antimeridian.
	const plane = new Projection(still[0].latitude, still[0].longitude);
	const offsets = still.map((point) => plane.plane(point.latitude, point.longitude));
	const east = quantile(offsets.map((offset) => offset[0]), 0.5), north = quantile(offsets.map((offset) => offset[1]), 0.5);
	const points = offsets.map((offset) => [offset[0] - east, offset[1] - north]);
	const distances = points.map((point) => Math.hypot(...point));
	const within = distances.filter((distance, index) => distance <= still[index].radius).length;
	return {
		points,
		r50: quantile(distances, 0.5),
		r68: quantile(distances, 0.68),
		r95: quantile(distances, 0.95),
		claim: quantile(still.map((point) => point.radius), 0.5),
		share: within / points.length,
	};
}
