// Universal Transverse Mercator on WGS-84, by the series of Krüger to the third order of n: exact to a millimetre in its zones.

const { PI, atan2, atanh, cos, cosh, floor, min, sin, sinh, sqrt } = Math;
const AXIS = 6378137, FLATTENING = 1 / 298.257223563, SCALE = 0.9996, FALSE_EASTING = 500000, FALSE_NORTHING = 1e7;
const N = FLATTENING / (2 - FLATTENING);
const RADIUS = (AXIS / (1 + N)) * (1 + N ** 2 / 4 + N ** 4 / 64);
const ALPHA = [N / 2 - (2 * N ** 2) / 3 + (5 * N ** 3) / 16, (13 * N ** 2) / 48 - (3 * N ** 3) / 5, (61 * N ** 3) / 240];
const BANDS = "CDEFGHJKLMNPQRSTUVWX";

// The zone with its band, easting and northing in metres; null near the poles, where UTM ends.
export function utm(latitude, longitude) {
	if (latitude < -80 || latitude > 84) return null;
	const zone = zoneOf(latitude, longitude);
	const radians = PI / 180;
	const turn = (longitude - (zone * 6 - 183)) * radians;
	const sine = sin(latitude * radians), e = (2 * sqrt(N)) / (1 + N);
	const t = sinh(atanh(sine) - e * atanh(e * sine));
	const xi = atan2(t, cos(turn)), eta = atanh(sin(turn) / sqrt(1 + t * t));
	let easting = eta, northing = xi;
	ALPHA.forEach((alpha, index) => {
		const order = 2 * (index + 1);
		easting += alpha * cos(order * xi) * sinh(order * eta);
		northing += alpha * sin(order * xi) * cosh(order * eta);
	});
	const band = BANDS[min(19, floor((latitude + 80) / 8))];
	return {
		zone: `${zone}${band}`,
		easting: FALSE_EASTING + SCALE * RADIUS * easting,
		northing: SCALE * RADIUS * northing + (latitude < 0 ? FALSE_NORTHING : 0),
	};
}

// Southern Norway and Svalbard have zones of their own width.
function zoneOf(latitude, longitude) {
	if (latitude >= 56 && latitude < 64 && longitude >= 3 && longitude < 12) return 32;
	if (latitude >= 72 && longitude >= 0 && longitude < 42) return [31, 33, 35, 37][longitude < 9 ? 0 : longitude < 21 ? 1 : longitude < 33 ? 2 : 3];
	return (floor((longitude + 180) / 6) % 60) + 1;
}
