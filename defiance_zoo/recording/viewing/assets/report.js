// SPDX-License-Identifier: GPL-2.0-only
// The page of `defiance-zoo report`: one or two episodes over one axis of time.

import { Clock } from "./clock.js";
import { decodeColumns } from "./columns.js";
import { element } from "./elements.js";
import { episodePanel } from "./episode.js";
import { Scrubber } from "./scrubber.js";
import { work } from "./work.js";

function main() {
  const { episodes } = decodeColumns(JSON.parse(document.getElementById("data").textContent));
  const clock = new Clock(Math.max(...episodes.map((each) => each.end_ns)));
  const scrubber = new Scrubber(clock);
  scrubber.load(episodes);
  const panels = episodes.map((each) => episodePanel(each, clock));
  const side = episodes.length > 1 ? "episodes beside" : "episodes";
  document.body.append(scrubber.element, element("main", { class: side }, ...panels));
  globalThis.defianceReport = { clock, work };
}

main();
