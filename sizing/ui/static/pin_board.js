// Pinned scenarios as a table. This tab keeps their links, so that a reload brings them back; the server keeps nothing.
import { button, keep, kept, node, watch } from "./dom.js";

const KEY = "sizing-pins";

export default {
  render({ model, el }) {
    const words = model.get("words");
    el.classList.add("sizing-pins");
    const pin = button(words.pin, () => model.send({ kind: "pin" }), { "data-pin": "add" });
    const about = node("span", { className: "sizing-unit", role: "status" });
    const scroll = node("div", { className: "sizing-table-scroll", tabIndex: 0, role: "region", "aria-label": words.title });
    el.append(node("div", { className: "sizing-pin-head" }, pin, about), scroll);

    const show = () => {
      const pins = model.get("pins");
      pin.setAttribute("aria-disabled", String(model.get("full")));
      about.textContent = model.get("full") ? words.full : pins.length ? "" : words.none;
      scroll.hidden = !pins.length;
      const table = node("table", { className: "sizing-table sizing-pin-table" }, node("caption", {}, words.title));
      const top = table.createTHead().insertRow();
      top.append(node("td"));
      model.get("columns").forEach((title, index) => {
        const cell = node("th", { scope: "col" }, title);
        if (index > 0) {
          cell.append(node("div", { className: "sizing-pin-tools" }, ...["show", "remove"].map((kind) => button(words[kind],
            () => { pin.focus(); model.send({ kind, number: index - 1 }); }, { className: "sizing-changed", "aria-label": `${words[kind]}: ${title}` }))));
        }
        top.append(cell);
      });
      const body = table.createTBody();
      for (const row of model.get("rows")) {
        const line = body.insertRow();
        const label = node("th", { scope: row.part ? "colgroup" : "row" }, row.label);
        line.append(label);
        if (row.part) { line.className = "sizing-pin-part"; label.colSpan = model.get("columns").length + 1; }
        for (const [text, differs] of row.cells) {
          line.append(node("td", { className: differs ? "sizing-pin-differs" : "" }, text,
            differs ? node("span", { className: "sizing-hidden" }, ` (${words.differs})`) : null));
        }
      }
      scroll.replaceChildren(table);
    };
    watch(model, ["columns", "rows", "full"], show);
    model.on("change:pins", () => { keep(KEY, model.get("pins")); show(); });
    const before = kept(KEY) ?? [];
    if (!model.get("pins").length && before.length) model.send({ kind: "kept", pins: before });
  },
};
