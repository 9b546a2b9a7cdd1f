// Cards to choose from. Text only: nothing that was typed becomes HTML.
import { button, node, tell, watch } from "./dom.js";

export default {
  render({ model, el }) {
    el.classList.add("sizing-cards");
    el.dataset.cards = model.get("name");
    const title = node("h2", { className: "sizing-cards-title" });
    const intro = node("p", { className: "sizing-cards-intro" });
    const list = node("ul", { className: "sizing-card-list" });
    el.append(title, intro, list);
    const show = () => {
      const focused = list.contains(document.activeElement) ? document.activeElement.closest("li")?.dataset.key : null;
      tell(title, model.get("title"));
      tell(intro, model.get("intro"));
      list.replaceChildren(...model.get("cards").map((card) => {
        const item = node("li", { className: "sizing-card", "data-key": card.key }, node("h3", {}, card.title),
          ...card.lines.map(([text, kind]) => node("p", { className: kind ? `sizing-card-${kind}` : "" }, text)));
        if (card.button) {
          item.append(button(card.button, () => model.send({ kind: "take", key: card.key }), { "aria-label": `${card.button}: ${card.title}` }));
        }
        if (card.key === model.get("chosen")) item.dataset.chosen = "1";
        return item;
      }));
      list.hidden = !model.get("cards").length;
      if (focused) list.querySelector(`[data-key="${CSS.escape(focused)}"] button`)?.focus();
    };
    watch(model, ["cards", "title", "intro", "chosen"], show);
  },
};
