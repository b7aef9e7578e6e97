// SPDX-License-Identifier: GPL-2.0-only
// Messages in numbers: what each channel has carried, how long it took, and who is on the way.

import { fitCanvas } from "./canvas.js";
import { choice, element, section, table, write, writeDuration, writeTime } from "./elements.js";
import { OUTCOMES, RECEIVED } from "./flights.js";

const ROWS = 8;
const COLUMNS = ["channel", "sent", "delay", "bytes", "outcome"];

/** Tables of messages, and a histogram of their delays. */
export class Messages {
  constructor(episode, flights) {
    this._channels = episode.channels;
    this._flights = flights;
    this._histogram = element("canvas", { class: "histogram", role: "img" });
    this._said = element("p", { class: "said" });
    this._rows = Array.from({ length: ROWS }, () => COLUMNS.map(() => element("td")));
    this._chosen = 0;
    this.element = section(
      "Messages",
      this._summary(),
      this._choice(episode.delays),
      this._histogram,
      this._said,
      element("h4", {}, "On their way now"),
      this._now(),
    );
    this._delays = episode.delays;
    new ResizeObserver(() => this._draw()).observe(this._histogram);
  }

  /** Show a time. */
  show(now) {
    const shown = this._flights.at(now, ROWS);
    const { sent, received, channel, bytes, outcome } = this._flights.messages;
    this._rows.forEach((cells, row) => {
      const i = shown[row];
      const texts = i === undefined ? COLUMNS.map(() => "") : [
        this._channels[channel[i]].name,
        writeTime(sent[i]),
        outcome[i] === RECEIVED ? writeDuration(received[i] - sent[i]) : "",
        write(bytes[i]),
        OUTCOMES[outcome[i]],
      ];
      cells.forEach((cell, column) => {
        if (cell.textContent !== texts[column]) cell.textContent = texts[column];
      });
    });
  }

  _summary() {
    const headings = ["channel", "kind", "sent", "received", "lost", "not arrived",
      "in flight at the end", "bytes", "mean delay", "median", "95 %", "longest"];
    const rows = this._channels.map((each) => [
      each.name, each.kind, each.sent, each.received, each.lost, each.not_arrived, each.in_flight,
      each.bytes,
      ...[each.mean_ns, each.p50_ns, each.p95_ns, each.max_ns].map(writeDuration),
    ]);
    return element("div", { class: "wide" }, table(headings, rows));
  }

  _choice(delays) {
    return choice("delays of", delays.map((each) => each.name), (place) => {
      this._chosen = place;
      this._draw();
    }).element;
  }

  _now() {
    const head = element("tr", {}, ...COLUMNS.map((each) => element("th", {}, each)));
    const rows = this._rows.map((cells) => element("tr", {}, ...cells));
    return element("table", { class: "now" }, head, ...rows);
  }

  /** Draw how many messages took how long. */
  _draw() {
    const context = fitCanvas(this._histogram);
    const chosen = this._delays[this._chosen];
    if (context === null || chosen === undefined) return;
    const { counts, low_ns: low, high_ns: high } = chosen;
    const [width, height] = [this._histogram.clientWidth, this._histogram.clientHeight];
    const most = Math.max(...counts, 1);
    context.fillStyle = "#1f5fa8";
    counts.forEach((count, place) => {
      const tall = (count / most) * (height - 4);
      const each = width / counts.length;
      context.fillRect(place * each + 0.5, height - tall, Math.max(each - 1, 1), tall);
    });
    const scale = chosen.logarithmic ? ", on a logarithmic axis" : "";
    this._said.textContent = chosen.total === 0 ? "No message arrived." :
      low === high ? `All ${write(chosen.total)} messages took ${writeDuration(low)}.` :
      `Delays from ${writeDuration(low)} to ${writeDuration(high)}${scale}; ` +
      `the highest bar is ${write(most)} of ${write(chosen.total)} messages.`;
  }
}
