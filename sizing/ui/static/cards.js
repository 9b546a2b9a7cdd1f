// Cards to choose from. Text only: nothing that was typed becomes HTML.
const node = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text });

export default {
  render({ model, el }) {
    el.classList.add("sizing-cards");
    el.dataset.cards = model.get("name");
    const title = node("h2", "sizing-cards-title", "");
    const intro = node("p", "sizing-cards-intro", "");
    const list = node("ul", "sizing-card-list", "");
    el.append(title, intro, list);
    const show = () => {
      const focused = list.contains(document.activeElement) ? document.activeElement.closest("li")?.dataset.key : null;
      title.textContent = model.get("title");
      title.hidden = !model.get("title");
      intro.textContent = model.get("intro");
      intro.hidden = !model.get("intro");
      list.replaceChildren(...model.get("cards").map((card) => {
        const item = node("li", "sizing-card", "");
        item.dataset.key = card.key;
        item.append(node("h3", "", card.title));
        for (const [text, kind] of card.lines) item.append(node("p", kind ? `sizing-card-${kind}` : "", text));
        if (card.button) {
          const button = node("button", "sizing-button", card.button);
          button.type = "button";
          button.setAttribute("aria-label", `${card.button}: ${card.title}`);
          button.addEventListener("click", () => model.send({ kind: "take", key: card.key }));
          item.append(button);
        }
        if (card.key === model.get("chosen")) item.dataset.chosen = "1";
        return item;
      }));
      list.hidden = !model.get("cards").length;
      if (focused) list.querySelector(`[data-key="${CSS.escape(focused)}"] button`)?.focus();
    };
    show();
    for (const trait of ["cards", "title", "intro", "chosen"]) model.on(`change:${trait}`, show);
  },
};
