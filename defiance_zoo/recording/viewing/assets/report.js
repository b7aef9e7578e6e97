// SPDX-License-Identifier: GPL-2.0-only
// The page of `defiance-zoo report`: one or two episodes over one axis of time.

import { Clock } from "./clock.js";
import { decodeColumns } from "./columns.js";
import { extent } from "./decimation.js";
import { element } from "./elements.js";
import { episodePanel } from "./episode.js";
import { Scrubber } from "./scrubber.js";
import { work } from "./work.js";

/** Give a curve, in each episode that has it, the least and the greatest value of all episodes. */
function shareScales(episodes) {
  const known = new Map();
  const join = (place, curves) =>
    curves.forEach((curve) => {
      const key = JSON.stringify([...place, curve.name]);
      curve.extent = known.get(key) ?? [];
      curve.extent.splice(0, 2, ...extent([...curve.extent, ...extent(curve.values)]));
      known.set(key, curve.extent);
    });
  for (const { agents, links } of episodes) {
    for (const { name, groups } of agents)
      for (const title in groups) join([name, title], groups[title]);
    for (const { name, queues, rates } of links)
      for (const { curves } of [queues, rates]) join([name], curves);
  }
}

function main() {
  const { episodes } = decodeColumns(JSON.parse(document.getElementById("data").textContent));
  shareScales(episodes);
  const clock = new Clock(Math.max(...episodes.map((each) => each.end_ns)));
  const scrubber = new Scrubber(clock);
  scrubber.load(episodes);
  const panels = episodes.map((each) => episodePanel(each, clock));
  const side = episodes.length > 1 ? "episodes beside" : "episodes";
  document.body.append(scrubber.element, element("main", { class: side }, ...panels));
  globalThis.defianceReport = { clock, work };
}

main();
