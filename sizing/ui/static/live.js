// HTML from the kernel. Sections that the visitor opened stay open, and the focus stays where it was.
export default {
  render({ model, el }) {
    el.classList.add("sizing-live");
    el.dataset.live = model.get("name");
    if (model.get("label")) {
      el.setAttribute("role", "region");
      el.setAttribute("aria-label", model.get("label"));
    }
    if (model.get("polite")) el.setAttribute("aria-live", "polite");
    const show = () => {
      const opened = new Set([...el.querySelectorAll("details[open]")].map((part) => part.dataset.key));
      const focused = el.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
      el.innerHTML = model.get("html");
      for (const part of el.querySelectorAll("details")) part.open = opened.has(part.dataset.key);
      if (focused) el.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    };
    show();
    model.on("change:html", show);
  },
};
