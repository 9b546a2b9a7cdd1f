// The sheet: two fields that stay in this tab, one button a kind of file, progress, and the file itself.
import { alert, button, keep, kept, node, saveFiles, tell, watch } from "./dom.js";

const KEY = "sizing-sheet";
let count = 0;

// What was typed: of this tab, and where that keeps nothing, of this page, so that another language does not lose it.
function typed() {
  if (!document.sizingSheet) {
    const found = kept(KEY);
    const text = (value) => (typeof value === "string" ? value : "");
    document.sizingSheet = { customer: text(found?.customer), remark: text(found?.remark) };
  }
  return document.sizingSheet;
}

export default {
  render({ model, el }) {
    const words = model.get("words");
    const id = `sheet-${++count}`;
    el.classList.add("sizing-sheet");
    const draft = typed();
    const field = (name, control) => {
      control.id = `${id}-${name}`;
      control.value = draft[name];
      control.setAttribute("aria-describedby", `${id}-${name}-about`);
      control.addEventListener("input", () => {
        draft[name] = control.value;
        keep(KEY, draft);
      });
      return node("div", { className: "sizing-field" },
        node("label", { htmlFor: control.id, className: "sizing-label" }, words[name]),
        control,
        node("p", { id: `${id}-${name}-about`, className: "sizing-about" }, node("span", { className: "sizing-help" }, words[`${name}_help`])));
    };
    const customer = node("input", { type: "text", className: "sizing-search", autocomplete: "off" });
    const remark = node("textarea", { rows: 2, className: "sizing-area" });
    const buttons = model.get("kinds").map(([kind, label]) => button(label, () => model.send({ kind: "make", file: kind,
      customer: customer.value, remark: remark.value, link: location.href.split("#")[0] }), { className: "sizing-button sizing-go", "data-file": kind }));
    const cancel = button(words.cancel, () => model.send({ kind: "cancel" }), { hidden: true });
    const progress = node("progress", { className: "sizing-progress", hidden: true, "aria-label": words.progress });
    const status = node("p", { className: "sizing-about", role: "status" });
    const wrong = alert();
    el.append(node("h2", {}, words.title), field("customer", customer), field("remark", remark),
      node("div", { className: "sizing-buttons" }, ...buttons, cancel), progress, status, wrong);
    watch(model, ["busy", "done", "total", "status", "error"], () => {
      const busy = model.get("busy");
      for (const each of buttons) each.disabled = busy;
      cancel.hidden = progress.hidden = !busy;
      if (model.get("total")) { progress.max = model.get("total"); progress.value = model.get("done"); } else progress.removeAttribute("value");
      status.textContent = model.get("status");
      tell(wrong, model.get("error"));
    });
    saveFiles(model);
  },
};
