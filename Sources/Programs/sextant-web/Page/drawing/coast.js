// The coasts of the world (Natural Earth, public domain) in the packed form of Tools/coast/pack.py.

let loaded = null;

// The rings: for each point sine and cosine of the latitude, and the longitude in radians.
export const coast = () => (loaded ??= fetch("coast.bin").then((reply) => reply.arrayBuffer()).then((buffer) => unpack(new Uint8Array(buffer))));

function unpack(bytes) {
	let place = 0;
	const number = () => {
		let value = 0;
		for (let shift = 0; ; shift += 7) {
			const byte = bytes[place++];
			value |= (byte & 127) << shift;
			if (byte < 128) return value;
		}
	};
	const difference = () => {
		const value = number();
		return (value >>> 1) ^ -(value & 1);
	};
	const step = Math.PI / 18000;
	const rings = [];
	while (place < bytes.length) {
		const ring = new Float64Array(number() * 3);
		let longitude = 0, latitude = 0;
		for (let index = 0; index < ring.length; index += 3) {
			longitude += difference();
			latitude += difference();
			ring.set([Math.sin(latitude * step), Math.cos(latitude * step), longitude * step], index);
		}
		rings.push(ring);
	}
	return rings;
}

// Draws land and coasts about the centre of the projection. `size` is the half width of the picture in metres, `scale` the
// pixels of a metre. The inside of a ring is on its left. If that holds the antipode, the ring is drawn as the outside.
export function drawLand(pen, rings, projection, size, scale, land, line) {
	const limit = size * 1.2;
	pen.beginPath();
	for (const ring of rings) {
		const { points, winding } = flat(ring, projection);
		const clipped = clip(points, limit);
		for (let index = 0; index < clipped.length; index += 2) pen[index ? "lineTo" : "moveTo"](clipped[index] * scale, -clipped[index + 1] * scale);
		if (clipped.length) pen.closePath();
		// Clockwise around the centre: the centre is on the right, so the antipode is inside.
		if (winding > 3) pen.rect(-limit * scale * 1.1, -limit * scale * 1.1, limit * scale * 2.2, limit * scale * 2.2);
	}
	pen.fillStyle = land;
	pen.fill("evenodd");
	pen.lineWidth = 1;
	pen.strokeStyle = line;
	pen.stroke();
}

// The ring in the plane, and by which angle it goes around the centre: a full turn or none.
function flat(ring, projection) {
	const points = new Float64Array((ring.length / 3) * 2);
	const centre = (projection.longitude * Math.PI) / 180;
	let winding = 0, before = null;
	for (let index = 0; index <= ring.length; index += 3) {
		const from = index % ring.length;
		const place = projection.planeOf(ring[from], ring[from + 1], ring[from + 2] - centre);
		if (index < ring.length) points.set(place, (index / 3) * 2);
		const azimuth = Math.atan2(...place);
		if (index) winding += Math.atan2(Math.sin(azimuth - before), Math.cos(azimuth - before));
		before = azimuth;
	}
	return { points, winding };
}

// The part of a closed ring within a square (Sutherland and Hodgman). Coordinates far away would be drawn without precision.
function clip(points, limit) {
	if (points.every((one) => Math.abs(one) <= limit)) return points;
	let result = points;
	for (const [axis, sign] of [[0, 1], [0, -1], [1, 1], [1, -1]]) {
		const next = [];
		for (let index = 0; index < result.length; index += 2) {
			const from = (index + result.length - 2) % result.length;
			const here = result[index + axis] * sign, before = result[from + axis] * sign;
			if (here <= limit !== before <= limit) {
				const part = (limit - before) / (here - before);
				next.push(result[from] + part * (result[index] - result[from]), result[from + 1] + part * (result[index + 1] - result[from + 1]));
			}
			if (here <= limit) next.push(result[index], result[index + 1]);
		}
		result = next;
	}
	return result;
}
