// SPDX-License-Identifier: GPL-2.0-only
// Columns of numbers as columns.py writes them, and where a time lies in them.

const ARRAYS = {
  u1: Uint8Array,
  i2: Int16Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
};

/** Return the numbers of a column: base64 of a little-endian array. */
function decode(column) {
  const text = atob(column.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new ARRAYS[column.type](bytes.buffer);
}

/** Return a tree of objects and arrays in which every column is an array of numbers. */
export function decodeColumns(tree) {
  if (Array.isArray(tree)) return tree.map(decodeColumns);
  if (tree === null || typeof tree !== "object") return tree;
  if (typeof tree.base64 === "string") return decode(tree);
  return Object.fromEntries(Object.entries(tree).map(([name, each]) => [name, decodeColumns(each)]));
}

/** Return how many of the ascending values are at most `limit`. */
export function countUpTo(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
