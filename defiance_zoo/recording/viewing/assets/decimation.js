// SPDX-License-Identifier: GPL-2.0-only
// What of a curve is drawn: no more than can be seen, and no extreme left out.

import { countUpTo } from "./columns.js";

/**
 * Return the points of a curve that show all of it in some columns of pixels.
 *
 * Of each column they are the least and the greatest value, in their order, so at most
 * `2 * columns + 2` points with the neighbours outside. Values that are not numbers are left out.
 *
 * @param x Ascending places of values.
 * @param values Of the curve.
 * @param begin First place that is seen.
 * @param end Last place that is seen.
 * @param columns Of pixels.
 * @returns Places of the points among the values, ascending.
 */
export function visiblePoints(x, values, begin, end, columns) {
  const first = Math.max(countUpTo(x, begin) - 1, 0);
  const last = Math.min(countUpTo(x, end), values.length - 1);
  const points = [];
  const keep = (place) => {
    if (place >= 0 && points[points.length - 1] !== place) points.push(place);
  };
  let column = NaN;
  let least = -1;
  let greatest = -1;
  const close = () => {
    keep(Math.min(least, greatest));
    keep(Math.max(least, greatest));
  };
  for (let i = first; i <= last; i++) {
    if (Number.isNaN(values[i])) continue;
    const position = Math.floor(((x[i] - begin) / (end - begin)) * columns);
    const mine = Math.min(Math.max(position, -1), columns);
    if (mine !== column) {
      close();
      column = mine;
      least = greatest = i;
    } else {
      if (values[i] < values[least]) least = i;
      if (values[i] >= values[greatest]) greatest = i;
    }
  }
  close();
  return points;
}

/** Return the least and the greatest number, both NaN where there is none. */
export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const each of values) {
    if (!Number.isFinite(each)) continue;
    if (each < low) low = each;
    if (each > high) high = each;
  }
  return low > high ? [NaN, NaN] : [low, high];
}
