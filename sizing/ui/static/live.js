// HTML from the kernel. Sections that the visitor opened stay open, and the focus stays where it was.
// A folded section comes without its inside; the kernel is told when one is opened.
export default {
  render({ model, el }) {
    el.classList.add("sizing-live");
    el.dataset.live = model.get("name");
    if (model.get("label")) {
      el.setAttribute("role", "region");
      el.setAttribute("aria-label", model.get("label"));
    }
    if (model.get("polite")) el.setAttribute("aria-live", "polite");
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
      if (key) el.querySelector(`[data-key="${CSS.escape(key)}"]${place}`)?.focus();
    };
    show();
    model.on("change:shown", show);
    el.addEventListener("toggle", tell, true);
  },
};
