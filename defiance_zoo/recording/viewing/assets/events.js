// SPDX-License-Identifier: GPL-2.0-only
// What has happened, as a list from which one goes to the time.

import { element, section, writeTime } from "./elements.js";
import { eventColour } from "./scrubber.js";

const MOST_LISTED = 500;

/** Return the list of an episode's events. */
export function eventList(events, clock) {
  const rows = events.slice(0, MOST_LISTED).map(({ time, kind, agent, text }) => {
    const mark = element("span", { class: "mark" });
    mark.style.background = eventColour(kind);
    const go = element("button", { type: "button", class: "plain" }, writeTime(time));
    go.addEventListener("click", () => clock.set(time));
    return element("li", {}, mark, go, ` ${[kind, agent, text].filter(Boolean).join(": ")}`);
  });
  const more = events.length - rows.length;
  const rest = more > 0 ? [element("p", {}, `${more} more are not listed.`)] : [];
  return section("Events", element("ol", { class: "events" }, ...rows), ...rest);
}
