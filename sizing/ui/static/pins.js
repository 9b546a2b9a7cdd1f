// Pinned scenarios as a table. This tab keeps their links, so that a reload brings them back; the server keeps nothing.
const KEY = "sizing-pins";
const node = (tag, className, text = "") => Object.assign(document.createElement(tag), { className, textContent: text });
const kept = () => {
  try { return JSON.parse(sessionStorage.getItem(KEY)) ?? []; } catch { return []; }
};

export default {
  render({ model, el }) {
    const words = model.get("words");
    el.classList.add("sizing-pins");
    const pin = node("button", "sizing-button");
    pin.type = "button";
    pin.dataset.pin = "add";
    pin.addEventListener("click", () => model.send({ kind: "pin" }));
    const about = node("span", "sizing-unit");
    about.setAttribute("role", "status");
    const head = node("div", "sizing-pin-head");
    head.append(pin, about);
    const scroll = node("div", "sizing-table-scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", words.title);
    el.append(head, scroll);

    const show = () => {
      const pins = model.get("pins");
      pin.textContent = words.pin;
      pin.setAttribute("aria-disabled", String(model.get("full")));
      about.textContent = model.get("full") ? words.full : pins.length ? "" : words.none;
      scroll.hidden = !pins.length;
      const table = node("table", "sizing-table sizing-pin-table");
      table.append(node("caption", "", words.title));
      const top = table.createTHead().insertRow();
      top.append(node("td", ""));
      model.get("columns").forEach((title, index) => {
        const cell = node("th", "", title);
        cell.scope = "col";
        if (index > 0) {
          const tools = node("div", "sizing-pin-tools");
          for (const kind of ["show", "remove"]) {
            const button = node("button", "sizing-changed", words[kind]);
            button.type = "button";
            button.setAttribute("aria-label", `${words[kind]}: ${title}`);
            button.addEventListener("click", () => { pin.focus(); model.send({ kind, number: index - 1 }); });
            tools.append(button);
          }
          cell.append(tools);
        }
        top.append(cell);
      });
      const body = table.createTBody();
      for (const row of model.get("rows")) {
        const line = body.insertRow();
        const label = node("th", "", row.label);
        label.scope = row.part ? "colgroup" : "row";
        line.append(label);
        if (row.part) { line.className = "sizing-pin-part"; label.colSpan = model.get("columns").length + 1; }
        for (const [text, differs] of row.cells) {
          const cell = node("td", differs ? "sizing-pin-differs" : "", text);
          if (differs) cell.append(node("span", "sizing-hidden", ` (${words.differs})`));
          line.append(cell);
        }
      }
      scroll.replaceChildren(table);
    };
    const store = () => {
      try { sessionStorage.setItem(KEY, JSON.stringify(model.get("pins"))); } catch { /* a browser that keeps nothing */ }
      show();
    };
    show();
    for (const trait of ["columns", "rows", "full"]) model.on(`change:${trait}`, show);
    model.on("change:pins", store);
    if (!model.get("pins").length && kept().length) model.send({ kind: "kept", pins: kept() });
  },
};
