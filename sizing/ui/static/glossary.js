// Terms: where one first stands in the results, it opens its sentence; the list at the end of the page has all of them.
import { node } from "./dom.js";

const WHERE = ".sizing-subject, .sizing-answer, .sizing-second, dt, thead th, .sizing-note";
const LETTER = "[\\p{L}\\p{N}]";

// Longer forms first, so that "KV cache precision" is not taken for "KV cache".
function finder(terms) {
  const byForm = new Map();
  for (const [key, , forms] of terms) for (const form of forms) byForm.set(form, key);
  const some = (forms, flags) => new RegExp(
    `(?<!${LETTER}|[-_/])(?:${forms.sort((a, b) => b.length - a.length).map((form) => form.replace(/[+.*?()[\]{}|\\/]/g, "\\$&")).join("|")})(?!${LETTER}|_)`, flags);
  const all = [...byForm.keys()];
  // What is written with capitals stands in a text as it is; anything else may begin a sentence.
  const kinds = [some(all.filter((form) => form !== form.toLowerCase()), "gu"), some(all.filter((form) => form === form.toLowerCase()), "giu")];
  return (text) => kinds
    .flatMap((kind) => [...text.matchAll(kind)])
    .map((found) => ({ at: found.index, text: found[0], key: byForm.get(found[0]) ?? byForm.get(found[0].toLowerCase()) }))
    .sort((a, b) => a.at - b.at || b.text.length - a.text.length);
}

export default {
  render({ model, el }) {
    const terms = new Map(model.get("terms").map((term) => [term[0], term]));
    const find = finder([...terms.values()]);
    const language = model.get("language");
    el.classList.add("sizing-live", "sizing-terms");

    // The sentence: one box for the page. It closes by Escape, by a press beside it, and by a second press.
    const box = node("div", { className: "sizing-term-box", popover: "auto", role: "status" });
    el.append(box);
    let open = null;
    let pressing = false;
    let pressedAway = null; // the term whose box the press that is under way has just closed
    box.addEventListener("beforetoggle", (event) => {
      if (event.newState === "open") return;
      open?.setAttribute("aria-expanded", "false");
      pressedAway = pressing ? open : null;
      open = null;
    });
    const tell = (mark) => {
      if (open === mark) return box.hidePopover();
      if (pressedAway === mark) return;
      const [, name, , says] = terms.get(mark.dataset.term);
      box.showPopover();
      box.replaceChildren(node("strong", {}, name), ` ${says}`);
      const place = mark.getBoundingClientRect();
      const room = document.documentElement.clientWidth;
      box.style.left = `${Math.max(8, Math.min(place.left, room - box.offsetWidth - 8))}px`;
      const below = place.bottom + 6;
      box.style.top = `${below + box.offsetHeight > innerHeight ? Math.max(8, place.top - box.offsetHeight - 6) : below}px`;
      mark.setAttribute("aria-expanded", "true");
      open = mark;
    };
    const leave = () => open && box.hidePopover();
    addEventListener("scroll", leave, { passive: true });

    // A span, not a button: its text can still be marked and copied with the sentence that it stands in.
    const mark = (key, text, name) => node("span", { className: "sizing-term", tabIndex: 0, role: "button", "aria-expanded": "false",
      "data-term": key, "data-key": `${name}-term-${key}` }, text);
    const decorate = (live) => {
      const marked = [...root().querySelectorAll(".sizing-term")].filter((term) => live.contains(term) || term.offsetParent);
      const seen = new Set(marked.map((term) => term.dataset.term));
      for (const part of live.querySelectorAll(WHERE)) {
        const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
        const nodes = [];
        while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("a, small, code, button, summary, .sizing-said, .sizing-term")) nodes.push(walker.currentNode);
        for (let node of nodes) {
          let done = 0;
          for (const found of find(node.data)) {
            if (seen.has(found.key) || found.at < done) continue;
            seen.add(found.key);
            const rest = node.splitText(found.at - done);
            const after = rest.splitText(found.text.length);
            rest.replaceWith(mark(found.key, found.text, live.dataset.live));
            done = found.at + found.text.length;
            node = after;
          }
        }
      }
    };
    const root = () => el.closest(".sizing-page-root") ?? document.body;
    const listen = (event) => { if (!el.contains(event.target)) decorate(event.target); };
    const down = () => { pressing = true; pressedAway = null; };
    const press = (event) => {
      pressing = false;
      const term = event.target.closest?.(".sizing-term");
      if (!term || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      tell(term);
      pressedAway = null;
    };

    // The list: what the page shows when it is opened, with the words of its charts and inputs.
    const list = node("dl");
    const fold = node("details", { className: "sizing-folded" }, node("summary", {}, model.get("title")), list);
    el.append(fold);
    fold.addEventListener("toggle", () => {
      if (!fold.open) return;
      const page = root();
      const said = [...page.querySelectorAll("[aria-label]")].map((part) => part.getAttribute("aria-label"));
      const text = [...page.querySelectorAll(".sizing-inputs, .sizing-results > :not(.sizing-terms)")].map((part) => part.innerText || part.textContent);
      const keys = new Set(find([...text, ...said].join("\n")).map((found) => found.key));
      const shown = [...keys].map((key) => terms.get(key)).sort((a, b) => a[1].localeCompare(b[1], language));
      list.replaceChildren(...shown.flatMap(([, name, , says]) => [node("dt", {}, name), node("dd", {}, says)]));
    });

    document.addEventListener("sizing:live", listen);
    document.addEventListener("pointerdown", down, true);
    document.addEventListener("click", press);
    document.addEventListener("keydown", press);
    // Parts that were on the page before this one.
    requestAnimationFrame(() => { for (const live of root().querySelectorAll(".sizing-live[data-live]")) decorate(live); });
    return () => {
      removeEventListener("scroll", leave);
      document.removeEventListener("sizing:live", listen);
      document.removeEventListener("pointerdown", down, true);
      document.removeEventListener("click", press);
      document.removeEventListener("keydown", press);
    };
  },
};
