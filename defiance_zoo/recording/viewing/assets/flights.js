// SPDX-License-Identifier: GPL-2.0-only
// Which messages are on their way at a time.

import { countUpTo } from "./columns.js";

const BLOCK = 256;
export const [RECEIVED, LOST, IN_FLIGHT, NOT_ARRIVED] = [0, 1, 2, 3];
export const OUTCOMES = ["received", "lost", "in flight at the end", "not arrived"];

/** Return whether a message of this outcome comes to nothing. */
export function isGone(outcome) {
  return outcome === LOST || outcome === NOT_ARRIVED;
}

/** Messages in the order in which they were sent. */
export class Flights {
  /**
   * @param messages Columns `sent`, `received` (ns), `channel` (place) and `outcome`.
   * @param channels With `typical_ns`: how long a message is drawn that never arrives.
   */
  constructor(messages, channels) {
    this.messages = messages;
    const { sent, received, channel, outcome } = messages;
    this.ends = Float64Array.from(sent, (time, i) => {
      if (outcome[i] === RECEIVED) return received[i];
      return isGone(outcome[i]) ? time + channels[channel[i]].typical_ns : Infinity;
    });
    this._latest = new Float64Array(Math.ceil(sent.length / BLOCK)).fill(-Infinity);
    for (let i = 0; i < sent.length; i++) {
      const block = Math.floor(i / BLOCK);
      if (this.ends[i] > this._latest[block]) this._latest[block] = this.ends[i];
    }
  }

  /** Return the places of messages on their way, the latest first, at most `most`. */
  at(now, most) {
    const found = [];
    let i = countUpTo(this.messages.sent, now) - 1;
    while (i >= 0 && found.length < most) {
      const block = Math.floor(i / BLOCK);
      if (this._latest[block] <= now) {
        i = block * BLOCK - 1;
        continue;
      }
      if (this.ends[i] > now) found.push(i);
      i--;
    }
    return found;
  }

  /** Return how much of its way a message has made, 0 to 1; one that is lost makes half of it. */
  progress(place, now) {
    const begun = this.messages.sent[place];
    const end = this.ends[place];
    if (!Number.isFinite(end)) return 0.5;
    const part = end > begun ? (now - begun) / (end - begun) : 1;
    return isGone(this.messages.outcome[place]) ? part / 2 : part;
  }
}
