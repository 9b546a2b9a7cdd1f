// HTML from the kernel. Sections that the visitor opened stay open, and the focus stays where it was.
// A folded section comes without its inside; the kernel is told when one is opened.
import { node, watch } from "./dom.js";

const CALM_MS = 700; // a slider that is still moved is not commented

// Screen readers are told the sentence of the answer, once it stands still; not all that is drawn anew beside it.
function announcer(el) {
  let voice = document.getElementById("sizing-voice");
  if (!voice) {
    voice = node("p", { id: "sizing-voice", className: "sizing-said", role: "status" });
    (document.querySelector("main") ?? document.body).append(voice);
  }
  let timer = 0;
  let said = null; // what the page opens with is read as part of the page
  return () => {
    const text = [...el.querySelectorAll(".sizing-answer, .sizing-stale")].map((part) => part.textContent).join(" ");
    said ??= text;
    clearTimeout(timer);
    if (text !== said) timer = setTimeout(() => { voice.textContent = said = text; }, CALM_MS);
  };
}

export default {
  render({ model, el }) {
    el.classList.add("sizing-live");
    el.dataset.live = model.get("name");
    if (model.get("label")) {
      el.setAttribute("role", "region");
      el.setAttribute("aria-label", model.get("label"));
    }
    const announce = model.get("polite") ? announcer(el) : () => {};
    let told = "[]";
    const openKeys = () => [...el.querySelectorAll("details[open]")].map((part) => part.dataset.key).filter(Boolean);
    const tell = () => {
      const keys = openKeys();
      if (JSON.stringify(keys) === told) return;
      told = JSON.stringify(keys);
      model.send({ kind: "open", keys });
    };
    const show = () => {
      const opened = new Set(openKeys());
      const active = el.contains(document.activeElement) ? document.activeElement : null;
      const key = active?.closest("[data-key]")?.dataset.key;
      const place = active?.tagName === "SUMMARY" ? " > summary" : "";
      el.innerHTML = model.get("shown");
      for (const part of el.querySelectorAll("details")) part.open = opened.has(part.dataset.key);
      el.dispatchEvent(new CustomEvent("sizing:live", { bubbles: true })); // terms mark themselves
      if (key) el.querySelector(`[data-key="${CSS.escape(key)}"]${place}`)?.focus();
      announce();
    };
    watch(model, ["shown"], show);
    el.addEventListener("toggle", tell, true);
    el.addEventListener("click", (event) => {
      const key = event.target.closest(".sizing-cure")?.dataset.key;
      if (key) model.send({ kind: "cure", name: key.replace("cure-", "") });
    });
  },
};
