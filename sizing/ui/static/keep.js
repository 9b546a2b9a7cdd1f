// The link to copy, the scenario as a file to save and to open.
const node = (tag, props = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
};

export default {
  render({ model, el }) {
    const words = model.get("words");
    el.classList.add("sizing-keep");
    const status = node("p", { className: "sizing-about" });
    status.setAttribute("role", "status");
    const wrong = node("p", { className: "sizing-error", hidden: true });
    wrong.setAttribute("role", "alert");
    const link = node("input", { type: "text", readOnly: true, className: "sizing-search sizing-link" });
    link.setAttribute("aria-label", words.link);
    const copy = node("button", { type: "button", className: "sizing-button", textContent: words.copy });
    copy.dataset.keep = "copy";
    copy.addEventListener("click", async () => {
      link.value = location.href;
      try {
        await navigator.clipboard.writeText(link.value);
        status.textContent = words.copied;
      } catch {
        // No clipboard here (an address without encryption): the text is marked, ready for the keyboard.
        link.focus();
        link.select();
        status.textContent = words.marked;
      }
    });
    const save = node("button", { type: "button", className: "sizing-button", textContent: words.save });
    save.dataset.keep = "save";
    save.addEventListener("click", () => model.send({ kind: "save" }));
    const file = node("input", { type: "file", accept: ".json,application/json", className: "sizing-file" });
    file.setAttribute("aria-label", words.open);
    file.addEventListener("change", async () => {
      const chosen = file.files[0];
      if (!chosen) return;
      if (chosen.size > model.get("most_bytes")) { wrong.textContent = words.too_long; wrong.hidden = false; }
      else model.send({ kind: "open", text: await chosen.text() });
      file.value = "";
    });
    const open = node("label", { className: "sizing-button sizing-file-button", textContent: words.open });
    open.append(file);
    el.append(node("h2", { textContent: words.title }), node("div", { className: "sizing-link-row" }, link, copy),
      node("div", { className: "sizing-buttons" }, save, open), status, wrong);

    const showLink = () => { link.value = location.href; };
    showLink();
    link.addEventListener("focus", () => { showLink(); link.select(); });
    const timer = setInterval(() => { if (document.activeElement !== link && link.value !== location.href) showLink(); }, 1000);
    const show = () => {
      status.textContent = model.get("status");
      wrong.textContent = model.get("error");
      wrong.hidden = !model.get("error");
    };
    show();
    for (const trait of ["status", "error"]) model.on(`change:${trait}`, show);
    model.on("msg:custom", (message) => {
      if (message?.kind !== "file") return;
      const address = URL.createObjectURL(new Blob([message.text], { type: "application/json" }));
      const anchor = node("a", { href: address, download: message.name });
      document.body.append(anchor);
      anchor.click();
      anchor.remove();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    });
    return () => clearInterval(timer);
  },
};
