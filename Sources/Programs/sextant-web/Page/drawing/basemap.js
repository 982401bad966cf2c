// The ground of the map: sea, land and squares to scale. Land is kept as a picture with a margin
// and drawn again only when the map has moved further than that.

import { text } from "../words.js";
import { circle, colours, faintly, line, stroke } from "./canvas.js";
import { coast, drawLand } from "./coast.js";
import { FARTHEST } from "./projection.js";
import { drawTiles } from "./tiles.js";

const { PI, abs, cos, floor, hypot, log10, max, round, sin } = Math;
const MARGIN = 0.3; // of the larger side, around the picture
const CLOSE = 4000; // metres from centre to corner below which coasts of 1:50 million say nothing
const FAR = 8e6; // metres above which the plane about another centre looks different
const TILT = 0.005; // radians that north may differ from the picture's
const DEGREE = 111195; // metres

export class BaseMap {
	constructor(redraw) {
		this.redraw = redraw;
		this.picture = document.createElement("canvas");
	}

	// Returns what is to be said about the ground.
	draw(pen, width, height, projection, scale, ratio) {
		const ink = colours();
		const key = [width, height, scale, ratio, ink.land].join();
		const view = { key, width, height, projection, scale, ratio, corner: hypot(width, height) / 2 / scale };
		const hasCoasts = view.corner >= CLOSE;
		pen.save();
		if (view.corner > FARTHEST) {
			circle(pen, width / 2, height / 2, FARTHEST * scale);
			pen.clip();
		}
		pen.fillStyle = hasCoasts ? ink.sea : ink.land;
		pen.fillRect(0, 0, width, height);
		if (hasCoasts) this.land(pen, view);
		pen.translate(width / 2, height / 2);
		const credit = drawTiles(pen, view, this.redraw);
		pen.translate(-width / 2, -height / 2);
		pen.beginPath();
		if (!credit && view.corner < FAR / 4) squares(pen, view);
		faintly(pen, 0.35, () => stroke(pen, 1, ink.coast));
		pen.restore();
		return credit || text(hasCoasts ? "map.credit" : "map.grid");
	}

	land(pen, view) {
		const { width, height } = view;
		coast().then((rings) => {
			if (!this.rings) this.redraw();
			this.rings = rings;
		});
		if (!this.rings) return;
		const margin = round(max(width, height) * MARGIN);
		const [right, down] = this.shift(view, margin) ?? this.drawPicture(view, margin);
		pen.drawImage(this.picture, right - margin, down - margin, width + 2 * margin, height + 2 * margin);
	}

	// How far the picture is from the view; null if it does not serve any more.
	shift({ key, projection, scale, corner }, margin) {
		const { drawn } = this;
		if (drawn?.key !== key) return null;
		if (drawn.projection === projection) return [0, 0];
		const [east, north] = projection.plane(drawn.projection.latitude, drawn.projection.longitude);
		const tilt = abs(sin(((projection.longitude - drawn.projection.longitude) * PI) / 180) * projection.sine);
		const isNear = abs(east * scale) < margin && abs(north * scale) < margin && tilt < TILT;
		const isSame = corner < FAR || hypot(east, north) * scale < 0.5;
		return isNear && isSame ? [east * scale, -north * scale] : null;
	}

	drawPicture(view, margin) {
		const { width, height, projection, scale, ratio } = view;
		this.picture.width = round((width + 2 * margin) * ratio);
		this.picture.height = round((height + 2 * margin) * ratio);
		const pen = this.picture.getContext("2d");
		pen.setTransform(ratio, 0, 0, ratio, this.picture.width / 2, this.picture.height / 2);
		drawLand(pen, this.rings, projection, (max(width, height) / 2 + margin) / scale, scale, colours().land, colours().coast);
		this.drawn = view;
		return [0, 0];
	}
}

// Squares of 1, 2 or 5 times a power of ten in metres, fixed to the ground.
function squares(pen, { width, height, projection, scale }) {
	const step = niceStep(70 / scale), size = step * scale;
	const east = (projection.longitude * DEGREE * cos((round(projection.latitude) * PI) / 180)) % step, north = (projection.latitude * DEGREE) % step;
	const first = (offset) => ((offset % size) + size) % size;
	for (let x = first(width / 2 - east * scale); x < width; x += size) line(pen, [x, 0], [x, height]);
	for (let y = first(height / 2 + north * scale); y < height; y += size) line(pen, [0, y], [width, y]);
}

function niceStep(least) {
	const power = 10 ** floor(log10(least));
	return [1, 2, 5, 10].find((factor) => factor * power >= least) * power;
}
