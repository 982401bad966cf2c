// The Earth as a plane about any point (azimuthal equidistant): true distances and directions from there. Poles and the
// antimeridian are ordinary places.

const { PI, asin, atan2, cos, hypot, max, min, round, sin } = Math;
const RADIUS = 6371008.8; // metres, of the sphere closest to WGS-84
const DEGREE = PI / 180;
export const FARTHEST = PI * RADIUS;

export class Projection {
	constructor(latitude, longitude) {
		this.latitude = latitude;
		this.longitude = longitude;
		this.sine = sin(latitude * DEGREE);
		this.cosine = cos(latitude * DEGREE);
	}

	// Metres east and north of the centre.
	plane(latitude, longitude) {
		return this.planeOf(sin(latitude * DEGREE), cos(latitude * DEGREE), (longitude - this.longitude) * DEGREE);
	}

	// The same from sine and cosine of the latitude, and the difference in longitude.
	planeOf(sine, cosine, turn) {
		const cosineTurn = cos(turn);
		const east = cosine * sin(turn);
		const north = this.cosine * sine - this.sine * cosine * cosineTurn;
		const away = hypot(east, north), ahead = this.sine * sine + this.cosine * cosine * cosineTurn;
		if (away < 1e-12) return [0, ahead > 0 ? 0 : FARTHEST];
		const factor = (atan2(away, ahead) / away) * RADIUS;
		return [east * factor, north * factor];
	}

	// Latitude and longitude of a point of the plane.
	earth(east, north) {
		const distance = hypot(east, north);
		if (distance < 1e-9) return [this.latitude, this.longitude];
		const angle = min(distance / RADIUS, PI);
		const sine = sin(angle), cosine = cos(angle);
		const height = cosine * this.sine + (north / distance) * sine * this.cosine;
		const turn = atan2(east * sine, distance * this.cosine * cosine - north * this.sine * sine);
		const longitude = this.longitude + turn / DEGREE;
		return [asin(min(1, max(-1, height))) / DEGREE, longitude - 360 * round(longitude / 360)];
	}
}
