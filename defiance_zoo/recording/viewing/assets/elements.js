// SPDX-License-Identifier: GPL-2.0-only
// Elements of the page. Whatever comes from data becomes text or an attribute, never markup.

import { work } from "./work.js";

const SVG = "http://www.w3.org/2000/svg";

function build(made, attributes, children) {
  work.elements++;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  for (const child of children) made.append(child instanceof Node ? child : String(child));
  return made;
}

/** Return an element of HTML; children that are not elements become text. */
export function element(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** Return an element of SVG; children that are not elements become text. */
export function shape(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/** Return a section with a heading. */
export function section(title, ...children) {
  return element("section", {}, element("h3", {}, title), ...children);
}

/** Return a table: headings, rows of cells; numbers stand to the right. */
export function table(headings, rows) {
  const cell = (value) =>
    element("td", typeof value === "number" ? { class: "number" } : {}, write(value));
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...headings.map((each) => element("th", {}, each)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))),
  );
}

/** Return a choice among names; `onChoice` is called with the place of the chosen one. */
export function choice(label, names, onChoice) {
  const select = element(
    "select",
    {},
    ...names.map((name, place) => element("option", { value: place }, name)),
  );
  select.addEventListener("change", () => onChoice(Number(select.value)));
  const made = element("label", { class: "choice" }, `${label} `, select);
  return { element: made, select };
}

/** Return a value for people: numbers with five digits, nothing for what is not there. */
export function write(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isNaN(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return value.toLocaleString("en");
  return String(Number(value.toPrecision(5)));
}

/** Return nanoseconds in the unit that suits them, with a space where no line breaks. */
export function writeDuration(ns) {
  if (ns === null || !Number.isFinite(ns)) return "–";
  if (ns < 1e3) return `${write(ns)}\u00a0ns`;
  if (ns < 1e6) return `${write(ns / 1e3)}\u00a0µs`;
  if (ns < 1e9) return `${write(ns / 1e6)}\u00a0ms`;
  return `${write(ns / 1e9)}\u00a0s`;
}

/** Return a simulated time in seconds, to the microsecond. */
export function writeTime(ns) {
  return `${(ns / 1e9).toFixed(6)} s`;
}
