// SPDX-License-Identifier: GPL-2.0-only
// The picture of the network: nodes, links, RL applications, channels, messages on their way.

import { countUpTo } from "./columns.js";
import { element, shape, write } from "./elements.js";
import { isGone } from "./flights.js";
import { Geometry, along, bend } from "./geometry.js";
import { work } from "./work.js";

const DOTS = 300;
const FIRST_WIDTH = 640;
const LETTERS = 18;
const ROLES = {
  observation: ["O", "observes"],
  reward: ["R", "rewards"],
  agent: ["D", "decides"],
  action: ["A", "acts"],
};

/** The picture of one episode's network. */
export class Topology {
  constructor(episode, flights) {
    this._topology = episode.topology;
    this._loads = episode.links;
    this._flights = flights;
    this._now = 0;
    this._drawLinks();
    this._drawChannels();
    this._drawNodes();
    this._dots = [];
    this._layer = shape("g", { class: "dots" });
    this._picture = shape(
      "svg",
      { role: "img", "aria-label": "network" },
      shape("g", {}, ...this._links.flatMap((each) => each.lines)),
      shape("g", {}, ...this._channels),
      shape("g", {}, ...this._nodes),
      shape("g", {}, ...this._applications),
      this._layer,
    );
    this.element = element("figure", { class: "topology" }, this._picture, this._caption());
    this._fit(FIRST_WIDTH);
    new ResizeObserver(() => this._fit(this._picture.clientWidth)).observe(this.element);
  }

  /** Fill a width: names and letters are as large in a narrow picture as in a wide one. */
  _fit(width) {
    if (width === 0 || width === this._geometry?.width) return;
    this._geometry = new Geometry(this._topology, width);
    const { width: wide, height } = this._geometry;
    this._picture.setAttribute("viewBox", `0 0 ${wide} ${height}`);
    this._geometry.update(this._now);
    this._place();
    this._showMessages(this._now);
  }

  /** Show a time. */
  show(now) {
    this._now = now;
    if (this._geometry.update(now)) this._place();
    this._showLoads(now);
    this._showMessages(now);
  }

  _caption() {
    const roles = Object.entries(ROLES).map(([role, [letter, verb]]) =>
      element("span", { class: "legend" }, element("b", { class: role }, letter), ` ${verb}`),
    );
    this._count = element("span", { class: "legend" });
    const laid = this._topology.laid_out ? "Some nodes have no position: they are laid out." : "";
    return element("figcaption", {}, ...roles, this._count, laid);
  }

  _drawNodes() {
    const { nodes, applications } = this._topology;
    this._nodes = nodes.map((node) =>
      shape(
        "g",
        { class: "node" },
        shape("circle", { r: 8 }),
        shape("text", { y: 21 }, shorten(node.name)),
        shape("title", {}, `${node.name}, ${node.title}`),
      ),
    );
    this._applications = applications.map(({ name, role }) => {
      const [letter, verb] = ROLES[role] ?? ["?", role];
      return shape(
        "g",
        { class: `application ${Object.hasOwn(ROLES, role) ? role : "other"}` },
        shape("rect", { x: -7, y: -7, width: 14, height: 14, rx: 3 }),
        shape("text", { y: 4 }, letter),
        shape("title", {}, `${name} ${verb}`),
      );
    });
  }

  _drawLinks() {
    this._links = this._topology.links.map((link, place) => {
      const several = link.nodes.length > 2;
      const count = several ? link.nodes.length : 1;
      const kind = ["wifi", "lte"].includes(link.kind) ? "radio" : "cable";
      const lines = Array.from({ length: count }, () =>
        shape("line", { class: `link ${kind}` }, shape("title", {}, link.title)),
      );
      const loads = this._loads.filter((each) => each.link === place);
      return { link, lines, loads, several };
    });
  }

  _drawChannels() {
    const between = new Map();
    const home = (place) => this._topology.applications[place]?.node;
    this._bends = this._topology.channels.map(({ from, to }) => {
      const key = `${home(from)} ${home(to)}`;
      between.set(key, (between.get(key) ?? -1) + 1);
      return between.get(key);
    });
    this._channels = this._topology.channels.map((channel) =>
      shape("path", { class: `channel ${channel.simple ? "simple" : ""}` },
        shape("title", {}, channel.name)),
    );
  }

  /** Put everything where it is. */
  _place() {
    const { nodes, applications } = this._geometry;
    const move = (group, place) => {
      group.setAttribute("visibility", place ? "visible" : "hidden");
      if (place) group.setAttribute("transform", `translate(${place[0]} ${place[1]})`);
    };
    this._nodes.forEach((group, i) => move(group, nodes[i]));
    this._applications.forEach((group, i) => move(group, applications[i]));
    for (const { link, lines, several } of this._links) {
      const ends = link.nodes.map((each) => nodes[each]);
      const mean = (axis) => ends.reduce((sum, each) => sum + each[axis], 0) / ends.length;
      const middle = several ? [mean(0), mean(1)] : ends[1] ?? ends[0];
      lines.forEach((line, i) => {
        if (ends.length > 0) setLine(line, ends[i], middle);
      });
    }
    this._ways = this._topology.channels.map(({ from, to }, i) => {
      const [begin, end] = [applications[from], applications[to]];
      return begin && end ? [begin, bend(begin, end, this._bends[i]), end] : null;
    });
    this._channels.forEach((path, i) => {
      if (this._ways[i] === null) return;
      const [[x0, y0], [cx, cy], [x1, y1]] = this._ways[i];
      path.setAttribute("d", `M${x0} ${y0} Q${cx} ${cy} ${x1} ${y1}`);
    });
  }

  /** Links are the wider the more they are used. */
  _showLoads(now) {
    for (const { lines, loads } of this._links) {
      if (loads.length === 0) continue;
      let used = 0;
      for (const { rates, share } of loads) {
        const place = countUpTo(rates.time, now) - 1;
        if (place >= 0 && share[place] > used) used = share[place];
      }
      const width = String(1.5 + 6 * Math.min(used, 1));
      for (const line of lines) line.style.strokeWidth = width;
    }
  }

  _showMessages(now) {
    if (this._flights === null) return;
    const shown = this._flights.at(now, DOTS);
    while (this._dots.length < shown.length) {
      const dot = shape("circle", { r: 3.5 });
      this._dots.push(dot);
      this._layer.append(dot);
    }
    const { channel, outcome } = this._flights.messages;
    this._dots.forEach((dot, i) => {
      const message = shown[i];
      const way = message === undefined ? null : this._ways[channel[message]];
      dot.setAttribute("visibility", way ? "visible" : "hidden");
      if (!way) return;
      const [x, y] = along(...way, this._flights.progress(message, now));
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
      dot.setAttribute("class", isGone(outcome[message]) ? "dot lost" : "dot");
      work.dots++;
    });
    const more = shown.length === DOTS ? " or more" : "";
    this._count.textContent = `${write(shown.length)}${more} on their way`;
  }
}

function shorten(name) {
  return name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name;
}

function setLine(line, [x1, y1], [x2, y2]) {
  for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, value);
}
