// SPDX-License-Identifier: GPL-2.0-only
// Search where the site is read from a folder: there, browsers let a page start no worker, and read
// no other file but scripts. This does what MkDocs' worker does, in the page that shows results.

if (location.protocol === "file:") {
  const load = (name, then) => {
    const script = document.createElement("script");
    script.src = `${base_url}/search/${name}`;
    script.onload = then;
    document.head.append(script);
  };

  window.Worker = class {
    postMessage({ init, query }) {
      if (init && document.getElementById("mkdocs-search-query")) {
        load("lunr.js", () => load("search_index.js", () => this.build(window.searchIndex)));
      }
      if (query) this.onmessage({ data: { results: this.search(query) } });
    }

    build({ config, docs }) {
      lunr.tokenizer.separator = new RegExp(config.separator);
      this.documents = new Map(docs.map((each) => [each.location, each]));
      this.index = lunr(function () {
        this.ref("location");
        this.field("title", { boost: 10 });
        this.field("text");
        docs.forEach((each) => this.add(each, { boost: each.location.includes("#") ? 1 : 1.5 }));
      });
      this.onmessage({ data: { config } });
      this.onmessage({ data: { allowSearch: true } });
    }

    search(query) {
      return this.index.search(query).map(({ ref }) => {
        const found = this.documents.get(ref);
        return { ...found, summary: found.text.substring(0, 200) };
      });
    }
  };
}
