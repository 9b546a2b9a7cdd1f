// Back and forward, theme, language. The theme is the browser's own business: the kernel never hears of it.
import { button, node, watch } from "./dom.js";

const THEMES = ["system", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

function setTheme(theme) {
  const address = new URLSearchParams(location.search);
  if (theme === "system") address.delete("theme");
  else address.set("theme", theme);
  const query = address.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%7E", "~");
  history.replaceState(history.state, "", `${location.pathname}${query ? "?" : ""}${query}${location.hash}`);
  document.documentElement.dataset.theme = theme === "system" ? (system.matches ? "dark" : "light") : theme;
  document.dispatchEvent(new CustomEvent("sizing:address"));
}

// Text that is being typed has an undo of its own.
const typing = (target) => target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "range");

export default {
  render({ model, el }) {
    const inVoila = Boolean(document.body.dataset.voila);
    el.classList.add("sizing-tools");
    const move = (kind, sign) => button("", () => model.send({ kind }), { className: "sizing-tool", "data-tool": kind, "data-sign": sign });
    const back = move("back", "↶");
    const forward = move("forward", "↷");
    const moves = node("span", { className: "sizing-tool-group" }, back, forward);
    const theme = node("select", { className: "sizing-tool", "data-tool": "theme" });
    theme.addEventListener("change", () => setTheme(theme.value));
    const languages = node("select", { className: "sizing-tool", "data-tool": "language" });
    languages.addEventListener("change", () => {
      // The page stays as it is until its words have come.
      model.send({ kind: "language", language: languages.value });
    });
    el.append(moves, theme, languages);
    theme.hidden = !inVoila; // JupyterLab has a theme of its own

    watch(model, ["words", "language", "back", "forward"], () => {
      const words = model.get("words");
      for (const [element, kind] of [[back, "back"], [forward, "forward"]]) {
        const what = model.get(kind);
        element.textContent = `${element.dataset.sign} ${words[kind]}`;
        element.setAttribute("aria-disabled", String(what === null));
        const title = what === null ? words[kind] : words[`${kind}_what`].replace("{what}", what);
        element.title = title;
        element.setAttribute("aria-label", title);
      }
      theme.setAttribute("aria-label", words.theme);
      theme.title = words.theme;
      if (theme.dataset.language !== model.get("language")) {
        theme.dataset.language = model.get("language");
        theme.replaceChildren(...THEMES.map((value) => new Option(words[value], value)));
        const asked = new URLSearchParams(location.search).get("theme");
        theme.value = THEMES.includes(asked) ? asked : "system";
      }
      languages.setAttribute("aria-label", words.language);
      languages.title = words.language;
      if (!languages.options.length) {
        languages.append(...model.get("languages").map(([value, name]) => node("option", { value, lang: value }, name)));
      }
      languages.value = model.get("language");
    });

    const keys = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || typing(event.target) || !inVoila) return;
      const key = event.key.toLowerCase();
      const kind = key === "z" && !event.shiftKey ? "back" : key === "y" || (key === "z" && event.shiftKey) ? "forward" : null;
      if (!kind) return;
      event.preventDefault();
      if (model.get(kind) !== null) model.send({ kind });
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  },
};
