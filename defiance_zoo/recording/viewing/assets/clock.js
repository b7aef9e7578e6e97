// SPDX-License-Identifier: GPL-2.0-only
// Simulated time as the page shows it: where the scrubber stands, how it plays, what part is seen.

import { work } from "./work.js";

/** The time of all episodes of a page, in nanoseconds. */
export class Clock {
  constructor(end) {
    this.end = Math.max(end, 1);
    this.now = 0;
    this.zoom = 1;
    this.perSecond = null; // simulated nanoseconds a second; null: the whole in twenty seconds
    this.playing = false;
    this._listeners = [];
    this._due = false;
    this._stamp = null;
  }

  /** Call a function after each change, at most once a frame. */
  onChange(listener) {
    this._listeners.push(listener);
  }

  /** Go to a time. */
  set(now) {
    this.now = Math.min(Math.max(now, 0), this.end);
    this._wake();
  }

  /** See a part of the time, 1 / `zoom` of it, around where the scrubber stands. */
  setZoom(zoom) {
    this.zoom = Math.min(Math.max(zoom, 1), 65536);
    this._wake();
  }

  /** Return the first and the last time that are seen. */
  window() {
    const length = this.end / this.zoom;
    const begin = Math.min(Math.max(this.now - length / 2, 0), this.end - length);
    return [begin, begin + length];
  }

  /** Play on from here, from the beginning if this is the end; or stop. */
  toggle() {
    if (!this.playing && this.now >= this.end) this.now = 0;
    this.playing = !this.playing;
    this._stamp = null;
    this._wake();
  }

  _wake() {
    if (this._due) return;
    this._due = true;
    requestAnimationFrame((stamp) => this._frame(stamp));
  }

  _frame(stamp) {
    this._due = false;
    if (this.playing) this._advance(stamp);
    work.renders++;
    for (const listener of this._listeners) listener(this);
    if (this.playing) this._wake();
  }

  _advance(stamp) {
    const seconds = this._stamp === null ? 0 : (stamp - this._stamp) / 1000;
    this._stamp = stamp;
    this.now = Math.min(this.now + seconds * (this.perSecond ?? this.end / 20), this.end);
    this.playing = this.now < this.end;
  }
}
