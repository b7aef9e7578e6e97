// SPDX-License-Identifier: GPL-2.0-only
// All views of one episode.

import { choice, element, section, table } from "./elements.js";
import { eventList } from "./events.js";
import { Flights } from "./flights.js";
import { Messages } from "./messages.js";
import { Strips } from "./strips.js";
import { Topology } from "./topology.js";

const GROUPS = ["reward", "action", "observation"];

/** Return the panel of an episode at the time of a clock. */
export function episodePanel(episode, clock) {
  const flights = episode.messages && new Flights(episode.messages, episode.channels);
  const shown = [];
  const parts = [element("h2", {}, episode.label), facts(episode)];
  if (episode.topology) shown.push(new Topology(episode, flights));
  parts.push(...shown.map((each) => each.element));
  if (episode.agents.length > 0) parts.push(agentCurves(episode, clock));
  if (flights) {
    const messages = new Messages(episode, flights);
    shown.push(messages);
    parts.push(messages.element);
  }
  if (episode.links.length > 0) parts.push(linkCurves(episode, clock));
  if (episode.events.length > 0) parts.push(eventList(episode.events, clock));
  parts.push(...episode.totals.map(total));
  if (episode.missing.length > 0) parts.push(missing(episode.missing));
  const show = () => shown.forEach((each) => each.show(clock.now));
  show();
  clock.onChange(show);
  return element("article", { class: "episode" }, ...parts);
}

function facts(episode) {
  const known = new Map(episode.facts);
  const said = ["environment", "outcome", "simulated time"].map((name) => known.get(name));
  const list = episode.facts.flatMap(([name, text]) => [
    element("dt", {}, name),
    element("dd", {}, text),
  ]);
  return element(
    "details",
    {},
    element("summary", {}, `${said.join(", ")}, seed ${known.get("seed")}`),
    element("dl", { class: "facts" }, ...list),
  );
}

function agentCurves({ agents }, clock) {
  const strips = new Strips(clock);
  const show = (place) => {
    const { time, groups } = agents[place];
    strips.load(GROUPS.map((title) => ({ title, x: time, curves: groups[title] })));
  };
  show(0);
  const agent = choice("agent", agents.map((each) => each.name), show);
  return section("What agents observe, do and earn", agent.element, strips.element);
}

function linkCurves({ links }, clock) {
  const strips = new Strips(clock);
  const show = (place) => {
    const { queues, rates } = links[place];
    strips.load([queues, rates].map(({ time, curves }) => ({ title: "", x: time, curves })));
  };
  show(0);
  const link = choice("device", links.map((each) => each.name), show);
  return section("Queues and links", link.element, strips.element);
}

function total({ title, headings, rows }) {
  return section(title, element("div", { class: "wide" }, table(headings, rows)));
}

function missing(texts) {
  return section("Not recorded", element("ul", {}, ...texts.map((each) => element("li", {}, each))));
}
