// SPDX-License-Identifier: GPL-2.0-only
// Where nodes and applications are at a time, on the picture.

import { countUpTo } from "./columns.js";

const LEAST_WIDTH = 240;
const [LEAST_HEIGHT, MOST_HEIGHT] = [150, 560];
const [FEW, HEIGHT_OF_FEW, HEIGHT_OF_MORE] = [6, 320, 15]; // nodes, pixels, pixels a node
const MARGIN = 62;
const IN_A_ROW = 6;
const CHIP = 17;
const MOST_BEND = 44; // of long channels, which would leave the picture

/** Places of nodes and applications in a picture that is `width` wide and `height` high. */
export class Geometry {
  constructor(topology, width) {
    this.width = Math.max(width, LEAST_WIDTH);
    this._nodes = topology.nodes;
    this._moves = topology.moves;
    this._changes = topology.application_moves;
    this._homes = topology.applications.map((each) => each.node);
    this._fit();
    this.update(0);
  }

  /** Go to a time; return whether anything is elsewhere than before. */
  update(now) {
    const nodes = this._nodes.map((node, place) => this._where(node, place, now));
    const homes = [...this._homes];
    const { time, application, node } = this._changes;
    const changes = countUpTo(time, now);
    for (let i = 0; i < changes; i++) homes[application[i]] = node[i];
    const key = `${nodes.join()} ${homes.join()}`;
    if (key === this._key) return false;
    this._key = key;
    this.nodes = nodes;
    this.applications = this._chips(homes);
    return true;
  }

  _where(node, place, now) {
    const moves = this._moves[place];
    const last = moves ? countUpTo(moves.time, now) - 1 : -1;
    if (last < 0) return this._map(node.x, node.y);
    return this._map(moves.x[last], moves.y[last]);
  }

  _map(x, y) {
    return [
      this.width / 2 + (x - this._centre[0]) * this._scale,
      this.height / 2 - 14 + (y - this._centre[1]) * this._scale,
    ];
  }

  _fit() {
    const moved = this._moves.filter((each) => each !== null);
    const range = (name) => {
      let [low, high] = [Infinity, -Infinity];
      for (const values of [this._nodes.map((n) => n[name]), ...moved.map((each) => each[name])]) {
        for (const value of values) {
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
      return low > high ? [0, 0] : [low, high];
    };
    const [left, right] = range("x");
    const [top, bottom] = range("y");
    this._centre = [(left + right) / 2, (top + bottom) / 2];
    const more = Math.max(this._nodes.length - FEW, 0);
    const most = Math.min(HEIGHT_OF_FEW + HEIGHT_OF_MORE * more, MOST_HEIGHT);
    this._scale = Math.min(
      (this.width - 2 * MARGIN) / Math.max(right - left, 1e-9),
      (most - 2 * MARGIN) / Math.max(bottom - top, 1e-9),
    );
    const height = (bottom - top) * this._scale + 2 * MARGIN;
    this.height = Math.min(Math.max(height, LEAST_HEIGHT), most);
  }

  /** Applications stand in rows below their node's name. */
  _chips(homes) {
    const counts = new Map();
    for (const home of homes) counts.set(home, (counts.get(home) ?? 0) + 1);
    const taken = new Map();
    return homes.map((home) => {
      if (home < 0) return null; // it has no node
      const mine = taken.get(home) ?? 0;
      taken.set(home, mine + 1);
      const row = Math.floor(mine / IN_A_ROW);
      const inRow = Math.min(counts.get(home) - row * IN_A_ROW, IN_A_ROW);
      const [x, y] = this.nodes[home];
      return [x + ((mine % IN_A_ROW) - (inRow - 1) / 2) * CHIP, y + 32 + row * CHIP];
    });
  }
}

/** Return where the bend of a channel from one place to another is. */
export function bend([x0, y0], [x1, y1], side) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const out = 10 + Math.min(length * 0.12, MOST_BEND) + side * 12;
  return [(x0 + x1) / 2 - ((y1 - y0) / length) * out, (y0 + y1) / 2 + ((x1 - x0) / length) * out];
}

/** Return the place at a part of the way along a channel. */
export function along([x0, y0], [cx, cy], [x1, y1], part) {
  const rest = 1 - part;
  return [
    rest * rest * x0 + 2 * rest * part * cx + part * part * x1,
    rest * rest * y0 + 2 * rest * part * cy + part * part * y1,
  ];
}
