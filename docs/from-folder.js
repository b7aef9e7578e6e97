// SPDX-License-Identifier: GPL-2.0-only
// Search where the site is read from a folder: there, browsers let a page start no worker. The
// script of the search runs in an empty frame instead, and only after the first click or key,
// because it indexes the whole site in the thread of the page.

if (location.protocol === "file:") {
  const asked = new Promise((resolve) => {
    for (const event of ["click", "keydown"]) addEventListener(event, resolve, { once: true });
  });

  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const url = new URL(address, location.href);
      this.inside = asked.then(
        () =>
          new Promise((resolve) => {
            document.body.append(this.frame);
            const inside = this.frame.contentWindow;
            inside.postMessage = (data) => this.onmessage?.({ data: structuredClone(data) });
            const script = inside.document.createElement("script");
            script.src = url.href;
            script.onload = () => resolve(inside);
            inside.document.head.append(script);
          }),
      );
    }

    postMessage(data) {
      const copy = structuredClone(data);
      this.inside.then((inside) => inside.onmessage({ data: copy }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
