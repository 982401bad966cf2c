// Raster maps of the administrator, drawn above the coasts: each tile where its corners are in the plane.

const { PI, atan, ceil, cos, floor, log2, max, min, round, sinh, tan, asinh } = Math;
const RADIAN = 180 / PI;
const EQUATOR = 40075016; // metres
const LARGEST = 1e6; // metres from centre to corner up to which a tile is drawn as a parallelogram
const MOST_ENLARGED = 3; // times two
const MOST_IMAGES = 600;
const images = new Map();
let maps = null;

// Draws the tiles in view. Returns what their maps want to be said about them.
export function drawTiles(pen, view, redraw) {
	if (!maps) {
		maps = [];
		fetch("tiles").then((reply) => reply.json()).then((reply) => redraw((maps = reply.maps ?? [])), () => 0);
	}
	// At night a bright map would blind.
	const isNight = document.documentElement.dataset.theme === "night";
	return isNight || view.corner > LARGEST ? "" : maps.map((map) => drawMap(pen, view, map, redraw)).filter(Boolean).join(", ");
}

function drawMap(pen, { projection, scale, corner }, { map, metadata }, redraw) {
	const { latitude, longitude } = projection;
	const [west, south, east, north] = (metadata.bounds ?? "-180,-85,180,85").split(",").map(Number);
	const isInside = latitude > south && latitude < north && longitude > west && longitude < east;
	const wide = EQUATOR * cos(latitude / RADIAN);
	const wanted = round(log2((wide * scale) / 256)), zoom = min(wanted, Number(metadata.maxzoom ?? 18));
	if (!isInside || zoom < Number(metadata.minzoom ?? 0) || wanted - zoom > MOST_ENLARGED) return "";
	const count = 2 ** zoom, reach = ceil((corner / wide) * count);
	const column = floor((longitude / 360 + 0.5) * count), row = floor((0.5 - asinh(tan(latitude / RADIAN)) / (2 * PI)) * count);
	const place = (x, y) => {
		const [right, up] = projection.plane(atan(sinh(PI * (1 - (2 * y) / count))) * RADIAN, (x / count) * 360 - 180);
		return [right * scale, -up * scale];
	};
	for (let y = max(0, row - reach); y <= min(count - 1, row + reach); y++) {
		for (let x = column - reach; x <= column + reach; x++) {
			const image = load(`tiles/${map}/${zoom}/${((x % count) + count) % count}/${y}`, redraw);
			if (!image.naturalWidth) continue;
			const [left, top] = place(x, y), across = place(x + 1, y), along = place(x, y + 1);
			pen.save();
			pen.transform(across[0] - left, across[1] - top, along[0] - left, along[1] - top, left, top);
			// A little larger, so that no seam is seen.
			pen.drawImage(image, 0, 0, 1.003, 1.003);
			pen.restore();
		}
	}
	return (metadata.attribution ?? metadata.name ?? "").replace(/<[^>]*>/g, "");
}

function load(address, redraw) {
	const image = images.get(address) ?? new Image();
	if (!image.src) image.src = address;
	image.onload = redraw;
	// The one that was not needed for longest goes first.
	images.delete(address);
	images.set(address, image);
	if (images.size > MOST_IMAGES) images.delete(images.keys().next().value);
	return image;
}
