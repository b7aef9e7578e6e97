// SPDX-License-Identifier: GPL-2.0-only
// The controls of simulated time: a slider, play and pause, speed, zoom, keys, marks of events.

import { countUpTo } from "./columns.js";
import { choice, element, writeTime } from "./elements.js";
import { fitCanvas } from "./canvas.js";

const STEPS = 100000;
const SPEEDS = [
  ["whole in 20 s", null],
  ["real time", 1e9],
  ["1/10", 1e8],
  ["1/100", 1e7],
  ["1/1000", 1e6],
  ["10 times", 1e10],
];
const EVENT_COLOURS = {
  joined: "#2b7a3d",
  ended: "#3b5b92",
  failed: "#b3261e",
  crash: "#b3261e",
  moved: "#8a4baf",
  handover: "#8a4baf",
  partition: "#c06000",
  transfer: "#00838f",
};

/** Return the colour of a kind of event. */
export function eventColour(kind) {
  return Object.hasOwn(EVENT_COLOURS, kind) ? EVENT_COLOURS[kind] : "#555555";
}

/** The bar at the top of the page. */
export class Scrubber {
  constructor(clock) {
    this._clock = clock;
    this._rounds = [];
    this._events = [];
    this._slider = element("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      value: 0,
      class: "slider",
      "aria-label": "simulated time",
    });
    this._slider.addEventListener("input", () => {
      clock.set((Number(this._slider.value) / STEPS) * clock.end);
    });
    this._play = element("button", { type: "button", class: "play" }, "Play");
    this._play.addEventListener("click", () => clock.toggle());
    this._time = element("output", { class: "time" });
    this._marks = element("canvas", { class: "marks" });
    this.element = element(
      "div",
      { class: "scrubber", role: "group", "aria-label": "time" },
      this._play,
      this._time,
      element("div", { class: "track" }, this._slider, this._marks),
      choice("speed", SPEEDS.map(([name]) => name), (place) => {
        clock.perSecond = SPEEDS[place][1];
      }).element,
      this._button("−", "see more of the time (-)", () => clock.setZoom(clock.zoom / 2)),
      this._button("+", "see less of the time (+)", () => clock.setZoom(clock.zoom * 2)),
    );
    document.addEventListener("keydown", (event) => this._onKey(event));
    new ResizeObserver(() => this._drawMarks()).observe(this._marks);
    clock.onChange(() => this._show());
    this._show();
  }

  /** Take the rounds to step to, and the events to mark, of all episodes. */
  load(episodes) {
    const times = episodes.flatMap((each) => Array.from(each.rounds));
    this._rounds = Float64Array.from(new Set(times)).sort();
    this._events = episodes.flatMap((each) => each.events);
    this._drawMarks();
    this._show();
  }

  _button(text, title, onClick) {
    const made = element("button", { type: "button", title }, text);
    made.addEventListener("click", onClick);
    return made;
  }

  _show() {
    const { now, end, playing } = this._clock;
    this._slider.value = String(Math.round((now / end) * STEPS));
    this._slider.setAttribute("aria-valuetext", writeTime(now));
    const round = countUpTo(this._rounds, now);
    this._time.textContent = `${writeTime(now)}, round ${round} of ${this._rounds.length}`;
    this._play.textContent = playing ? "Pause" : "Play";
  }

  _drawMarks() {
    const context = fitCanvas(this._marks);
    if (context === null) return;
    const width = this._marks.clientWidth;
    const drawn = new Set();
    for (const { time, kind } of this._events) {
      const x = Math.round((time / this._clock.end) * width);
      if (drawn.has(`${x} ${kind}`)) continue;
      drawn.add(`${x} ${kind}`);
      context.fillStyle = eventColour(kind);
      context.fillRect(x - 1, 0, 2, this._marks.clientHeight);
    }
  }

  _onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = event.target.tagName;
    const isPressed = (at === "BUTTON" || at === "SUMMARY") && event.key === " ";
    if (at === "SELECT" || at === "TEXTAREA" || isPressed) return;
    const keys = {
      " ": () => this._clock.toggle(),
      ArrowLeft: () => this._step(-1, event.shiftKey),
      ArrowRight: () => this._step(1, event.shiftKey),
      Home: () => this._clock.set(0),
      End: () => this._clock.set(this._clock.end),
      "+": () => this._clock.setZoom(this._clock.zoom * 2),
      "-": () => this._clock.setZoom(this._clock.zoom / 2),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** Go to the next or the last round, or by a twentieth of what is seen. */
  _step(direction, far) {
    const { now, end, zoom } = this._clock;
    const passed = countUpTo(this._rounds, now);
    const here = passed > 0 && this._rounds[passed - 1] === now;
    const target = direction > 0 ? passed : passed - (here ? 2 : 1);
    if (far || this._rounds.length === 0) this._clock.set(now + (direction * end) / zoom / 20);
    else this._clock.set(this._rounds[target] ?? (direction > 0 ? end : 0));
  }
}
