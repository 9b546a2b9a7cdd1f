// The sheet: two fields that stay in this tab, one button a kind of file, progress, and the file itself.
const KEY = "sizing-sheet";
const node = (tag, props = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
};
let count = 0;

// What was typed: of this tab, and where that keeps nothing, of this page, so that another language does not lose it.
function typed() {
  if (!document.sizingSheet) {
    let found = null;
    try { found = JSON.parse(sessionStorage.getItem(KEY)); } catch { /* nothing was kept, or it is damaged */ }
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
        try { sessionStorage.setItem(KEY, JSON.stringify(draft)); } catch { /* a browser that keeps nothing */ }
      });
      return node("div", { className: "sizing-field" },
        node("label", { htmlFor: control.id, className: "sizing-label", textContent: words[name] }),
        control,
        node("p", { id: `${id}-${name}-about`, className: "sizing-about" }, node("span", { className: "sizing-help", textContent: words[`${name}_help`] })));
    };
    const customer = node("input", { type: "text", className: "sizing-search", autocomplete: "off" });
    const remark = node("textarea", { rows: 2, className: "sizing-area" });
    const buttons = model.get("kinds").map(([kind, label]) => {
      const button = node("button", { type: "button", className: "sizing-button sizing-go", textContent: label });
      button.dataset.file = kind;
      button.addEventListener("click", () => model.send({ kind: "make", file: kind, customer: customer.value, remark: remark.value, link: location.href.split("#")[0] }));
      return button;
    });
    const cancel = node("button", { type: "button", className: "sizing-button", textContent: words.cancel, hidden: true });
    cancel.addEventListener("click", () => model.send({ kind: "cancel" }));
    const progress = node("progress", { className: "sizing-progress", hidden: true });
    progress.setAttribute("aria-label", words.progress);
    const status = node("p", { className: "sizing-about" });
    status.setAttribute("role", "status");
    const wrong = node("p", { className: "sizing-error", hidden: true });
    wrong.setAttribute("role", "alert");
    el.append(node("h2", { textContent: words.title }), field("customer", customer), field("remark", remark),
      node("div", { className: "sizing-buttons" }, ...buttons, cancel), progress, status, wrong);

    const show = () => {
      const busy = model.get("busy");
      for (const button of buttons) button.disabled = busy;
      cancel.hidden = progress.hidden = !busy;
      if (model.get("total")) { progress.max = model.get("total"); progress.value = model.get("done"); } else progress.removeAttribute("value");
      status.textContent = model.get("status");
      wrong.textContent = model.get("error");
      wrong.hidden = !model.get("error");
    };
    show();
    for (const trait of ["busy", "done", "total", "status", "error"]) model.on(`change:${trait}`, show);
    model.on("msg:custom", (message, buffers) => {
      if (message?.kind !== "file") return;
      const address = URL.createObjectURL(new Blob([buffers[0]], { type: message.type }));
      const link = node("a", { href: address, download: message.name });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    });
  },
};
