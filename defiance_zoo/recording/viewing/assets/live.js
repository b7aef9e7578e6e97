// SPDX-License-Identifier: GPL-2.0-only
// The page of `defiance-zoo watch`: a run, its learning curves, and the episodes that it records.

import { Clock } from "./clock.js";
import { decodeColumns } from "./columns.js";
import { element, section, write } from "./elements.js";
import { episodePanel } from "./episode.js";
import { Scrubber } from "./scrubber.js";
import { Strips } from "./strips.js";
import { work } from "./work.js";

const EVERY_MS = 2000;
const FOLLOW = "";

/** What a run does now, and its learning curves over decisions. */
class RunPanel {
  constructor() {
    this._numbers = element("div", { class: "numbers" });
    this._message = element("p", { class: "trouble", role: "status" });
    this._decisions = new Clock(1);
    this._strips = new Strips(this._decisions);
    this.element = element(
      "div",
      { class: "run" },
      element("h1", {}, document.title),
      element("section", {}, this._numbers, this._message),
      section("Learning, over decisions of all agents", this._strips.element),
    );
  }

  show({ numbers, metrics, trouble }) {
    this._numbers.replaceChildren(
      ...numbers.map(([name, value]) => element("div", {}, element("b", {}, write(value)), name)),
    );
    this._message.textContent = trouble;
    if (metrics === null) return;
    const { steps, curves } = metrics;
    this._decisions.extend(steps[steps.length - 1] ?? 1);
    this._decisions.set(this._decisions.end);
    this._strips.load([{ title: "", x: steps, curves }]);
  }

  /** Say that nothing new will come. */
  end(text) {
    this._message.textContent = text;
  }
}

/** The episode that is watched: the latest one, or one that was chosen. */
class EpisodeView {
  constructor() {
    this._clock = new Clock(1);
    this._scrubber = new Scrubber(this._clock);
    this._select = element("select", { "aria-label": "episode" });
    this._select.addEventListener("change", () => this.follow(this._listed));
    this._listed = [];
    this._shown = "";
    this._place = element("main", { class: "episodes" });
    const label = element("label", { class: "choice" }, "episode ", this._select);
    this._bar = element("div", { class: "run" }, label);
    this.element = element("div", {}, this._bar, this._scrubber.element, this._place);
    this.element.hidden = true;
    this.clock = this._clock;
  }

  /** Take the recorded episodes that there are, the latest last, and show one if it has changed. */
  async follow(listed) {
    this._listed = listed;
    this._list();
    const chosen = this._select.value;
    const wanted = listed.find((each) => each.name === chosen) ?? listed[listed.length - 1];
    this.element.hidden = wanted === undefined;
    if (wanted === undefined || `${wanted.name} ${wanted.version}` === this._shown) return;
    const episode = await ask(`episode.json?name=${encodeURIComponent(wanted.name)}`);
    if (episode === null) return; // it is gone, or the server has failed: the next time
    if (this._select.value !== chosen) return; // another one is on its way
    this._shown = `${wanted.name} ${wanted.version}`;
    this._show(episode);
  }

  _list() {
    const names = this._listed.map((each) => each.name);
    if (names.join() === this._names) return;
    this._names = names.join();
    const chosen = this._select.value;
    this._select.replaceChildren(
      element("option", { value: FOLLOW }, "the latest"),
      ...names.map((name) => element("option", { value: name }, name)),
    );
    this._select.value = names.includes(chosen) ? chosen : FOLLOW;
  }

  _show(episode) {
    this._ending?.abort();
    this._ending = new AbortController();
    if (episode.trouble) {
      const message = element("p", { class: "trouble", role: "status" }, episode.trouble);
      this._place.replaceChildren(message);
      return;
    }
    this._clock.extend(episode.end_ns);
    this._scrubber.load([episode]);
    this._place.replaceChildren(episodePanel(episode, this._clock, this._ending.signal));
  }
}

/** Nobody answers any more. */
class Gone extends Error {}

/** Return what the server says; null: it has not what was asked for. */
async function ask(name) {
  let told;
  try {
    const answer = await fetch(name, { cache: "no-store", credentials: "omit" });
    told = answer.ok ? await answer.json() : null;
  } catch {
    throw new Gone();
  }
  return decodeColumns(told);
}

async function watch(run, view) {
  const state = await ask("state.json");
  if (state === null) return true;
  run.show(state);
  await view.follow(state.episodes);
  if (state.closing) await ask("end.json"); // the server waits for that
  return !state.closing;
}

async function live() {
  const [run, view] = [new RunPanel(), new EpisodeView()];
  document.body.append(run.element, view.element);
  globalThis.defianceReport = { clock: view.clock, work };
  try {
    while (await watch(run, view)) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    run.end("The run is over, and this page is not kept up to date any more.");
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
    run.end("The server of this page has ended.");
  }
}

live();
