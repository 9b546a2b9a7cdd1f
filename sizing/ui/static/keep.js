// The link to copy, the scenario as a file to save and to open.
import { alert, button, copied, node, saveFiles, tell, watch } from "./dom.js";

export default {
  render({ model, el }) {
    const words = model.get("words");
    el.classList.add("sizing-keep");
    const status = node("p", { className: "sizing-about", role: "status" });
    const wrong = alert();
    const link = node("input", { type: "text", readOnly: true, className: "sizing-search sizing-link", "aria-label": words.link });
    const copy = button(words.copy, async () => {
      link.value = location.href;
      status.textContent = await copied(link.value, () => { link.focus(); link.select(); }) ? words.copied : words.marked;
    }, { "data-keep": "copy" });
    const save = button(words.save, () => model.send({ kind: "save" }), { "data-keep": "save" });
    const file = node("input", { type: "file", accept: ".json,application/json", className: "sizing-file", "aria-label": words.open });
    file.addEventListener("change", async () => {
      const chosen = file.files[0];
      if (!chosen) return;
      if (chosen.size > model.get("most_bytes")) tell(wrong, words.too_long);
      else model.send({ kind: "open", text: await chosen.text() });
      file.value = "";
    });
    const open = node("label", { className: "sizing-button sizing-file-button" }, words.open, file);
    el.append(node("h2", {}, words.title), node("div", { className: "sizing-link-row" }, link, copy),
      node("div", { className: "sizing-buttons" }, save, open), status, wrong);

    const showLink = () => { link.value = location.href; };
    showLink();
    link.addEventListener("focus", () => { showLink(); link.select(); });
    const timer = setInterval(() => { if (document.activeElement !== link && link.value !== location.href) showLink(); }, 1000);
    watch(model, ["status", "error"], () => {
      status.textContent = model.get("status");
      tell(wrong, model.get("error"));
    });
    saveFiles(model);
    return () => clearInterval(timer);
  },
};
