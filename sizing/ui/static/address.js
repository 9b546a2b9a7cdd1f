// The product's name, links between the pages, and the address, which always holds the scenario. What it says beside
// that (the theme, the services of another page) is none of this page's and travels along.
import { node } from "./dom.js";

const LEAST_PAUSE_MS = 350; // browsers refuse an address that changes too often

export default {
  render({ model, el }) {
    const inVoila = Boolean(document.body.dataset.voila); // in JupyterLab the address is the workspace's
    el.classList.add("sizing-nav");
    const name = node("a", { className: "sizing-name" });
    const nav = node("nav");
    el.append(name, nav);

    let links = [];
    const speak = () => {
      const language = model.get("language");
      nav.setAttribute("aria-label", model.get("label"));
      [name.dataset.file, name.textContent] = model.get("home");
      const pages = model.get("pages");
      if (links.length !== pages.length + 1) {
        links = [name, ...pages.map(() => node("a"))];
        nav.replaceChildren(...links.slice(1));
      }
      pages.forEach(([file, title], index) => {
        const link = links[index + 1];
        link.textContent = title;
        link.dataset.file = file;
        if (file === model.get("current")) {
          link.setAttribute("aria-current", "page");
          if (inVoila) document.title = `${title} · ${name.textContent}`;
        } else link.removeAttribute("aria-current");
      });
      if (model.get("home")[0] === model.get("current")) {
        name.setAttribute("aria-current", "page");
        if (inVoila) document.title = name.textContent;
      }
      if (inVoila) document.documentElement.lang = language;
    };

    const text = () => {
      const query = new URLSearchParams(model.get("query"));
      const here = new URLSearchParams(location.search);
      const own = new Set(model.get("own"));
      const foreign = new Set(model.get("foreign"));
      for (const [key, value] of here) {
        const plain = key.replace(/^(amp;)+/i, ""); // of a link that was pasted as HTML
        if (foreign.has(plain) && !own.has(plain) && plain !== "lang") query.append(plain, value);
      }
      const language = model.get("language");
      if (language !== "en" || here.has("lang")) query.set("lang", language);
      // Slashes and colons may stand in a query as they are, which keeps a link readable.
      return query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%7E", "~");
    };
    let timer = 0;
    let last = 0;
    const write = () => {
      timer = 0;
      last = Date.now();
      try {
        history.replaceState(history.state, "", `${location.pathname}?${text()}${location.hash}`);
      } catch {
        timer = setTimeout(write, 10 * LEAST_PAUSE_MS);
      }
    };
    const update = () => {
      const query = text();
      for (const link of links) link.href = `${link.dataset.file}?${query}`;
      if (inVoila && !timer) timer = setTimeout(write, Math.max(0, last + LEAST_PAUSE_MS - Date.now()));
    };
    // Links inside the page's text carry the address along as well, when they are about to be followed.
    const carry = (event) => {
      const link = event.target.closest?.("a[data-file]");
      if (link) link.href = `${link.dataset.file}?${text()}`;
    };
    for (const event of ["pointerdown", "focusin", "click"]) addEventListener(event, carry, { capture: true, passive: true });
    // A link that is followed before the address was written must carry the newest scenario all the same: it does,
    // since the links are kept; the address itself is written at once when the page is left.
    addEventListener("pagehide", () => timer && write());

    const start = () => {
      delete document.documentElement.dataset.arriving;
      update();
      for (const trait of ["query", "language", "own"]) model.on(`change:${trait}`, update);
      document.addEventListener("sizing:address", update);
    };
    speak();
    for (const trait of ["pages", "home", "label", "language"]) model.on(`change:${trait}`, () => { speak(); update(); });

    const here = location.search.replace(/^\?/, "");
    if (!inVoila || here === model.get("read")) return start();
    // This page was made before its visitor came: it shows the visitor's own link first.
    document.documentElement.dataset.arriving = "1";
    const heard = (message) => {
      if (message?.kind !== "read") return;
      model.off("msg:custom", heard);
      start();
    };
    model.on("msg:custom", heard);
    model.send({ kind: "here", query: here });
  },
};
