// SPDX-License-Identifier: GPL-2.0-only
// Curves over simulated time, one strip each, with the cursor of the scrubber.

import { fitCanvas } from "./canvas.js";
import { countUpTo } from "./columns.js";
import { visiblePoints } from "./decimation.js";
import { element, write } from "./elements.js";
import { work } from "./work.js";

/** One curve. */
class Strip {
  constructor(curve, x) {
    this._curve = curve;
    this._x = x;
    const [low, high] = curve.extent;
    [this._low, this._high] = low === high ? [low - 0.5, high + 0.5] : [low, high];
    this._width = 0;
    this._canvas = element("canvas", { class: "strip", role: "img", "aria-label": curve.name });
    this._cursor = element("div", { class: "cursor" });
    this._value = element("span", { class: "value" });
    this.element = element(
      "div",
      { class: "curve" },
      element("span", { class: "name", title: curve.name }, curve.name),
      element("span", { class: "range" }, [...new Set([low, high])].map(write).join(" … ")),
      this._value,
      element("div", { class: "plot" }, this._canvas, this._cursor),
    );
  }

  /** Draw what is seen of the curve. */
  draw([begin, end]) {
    const context = fitCanvas(this._canvas);
    if (context === null) return;
    const [width, height] = [this._canvas.clientWidth, this._canvas.clientHeight];
    this._width = width;
    const { values, held } = this._curve;
    const across = (place) => ((this._x[place] - begin) / (end - begin)) * width;
    const down = (place) =>
      height - 3 - ((values[place] - this._low) / (this._high - this._low)) * (height - 6);
    context.beginPath();
    context.strokeStyle = this._curve.colour ?? "#1f5fa8";
    let before = null;
    for (const place of visiblePoints(this._x, values, begin, end, width)) {
      if (before !== null && held) context.lineTo(across(place), down(before));
      if (before === null) context.moveTo(across(place), down(place));
      else context.lineTo(across(place), down(place));
      before = place;
      work.points++;
    }
    context.stroke();
    if (before !== null && this._x.length === 1) context.fillRect(across(0) - 1, down(0) - 1, 3, 3);
  }

  /** Show where the scrubber stands, and the value there. */
  point(now, [begin, end]) {
    const left = ((now - begin) / (end - begin)) * this._width;
    this._cursor.style.transform = `translateX(${left}px)`;
    let place = countUpTo(this._x, now) - 1;
    while (!this._curve.held && place > 0 && Number.isNaN(this._curve.values[place])) place--;
    this._value.textContent = place < 0 ? "" : write(this._curve.values[place]);
  }
}

const FIRST_CURVES = 12;

/** Curves under each other; of many, some are shown first. */
export class Strips {
  constructor(clock) {
    this._clock = clock;
    this._strips = [];
    this._seen = "";
    this._whole = new Set(); // titles of groups of which all curves are shown
    this.element = element("div", { class: "strips" });
    new ResizeObserver(() => this._draw(true)).observe(this.element);
    clock.onChange(() => this._draw(false));
  }

  /** Show groups of curves: `{title, x, curves}`. */
  load(groups) {
    this._strips = [];
    this.element.replaceChildren(...groups.flatMap((group) => this._group(group)));
    this._draw(true);
  }

  _group({ title, x, curves }) {
    if (curves.length === 0) return [];
    const first = this._whole.has(title) ? curves.length : FIRST_CURVES;
    const made = curves.slice(0, first).map((each) => this._add(each, x));
    const all = title === "" ? made : [element("h4", {}, title), ...made];
    if (curves.length <= first) return all;
    const more = element("button", { type: "button" }, `${curves.length - FIRST_CURVES} more`);
    more.addEventListener("click", () => {
      this._whole.add(title);
      more.replaceWith(...curves.slice(FIRST_CURVES).map((each) => this._add(each, x)));
      this._draw(true);
    });
    return [...all, more];
  }

  _add(curve, x) {
    const strip = new Strip(curve, x);
    this._strips.push(strip);
    return strip.element;
  }

  /** Draw curves anew if another part of them is seen, and move the cursors. */
  _draw(anew) {
    const window = this._clock.window();
    const seen = window.join();
    for (const strip of this._strips) {
      if (anew || seen !== this._seen) strip.draw(window);
      strip.point(this._clock.now, window);
    }
    this._seen = seen;
  }
}
