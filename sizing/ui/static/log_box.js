// A start-up log to paste, drop or upload. Its first part is what counts, so that a long one is cut, and says so. The
// text area gets the beginning of a long one only: laying out millions of characters would freeze the page for seconds.
import { alert, button, node, tell, watch } from "./dom.js";

let count = 0;

export default {
  render({ model, el }) {
    const words = model.get("words");
    const most = model.get("most_characters");
    const shown = model.get("shown_characters");
    let whole = ""; // of a long text, all that was taken; "" where the area holds everything
    const id = `log-${++count}`;
    el.classList.add("sizing-log");
    const text = node("textarea", { id, rows: 7, spellcheck: false, autocomplete: "off", wrap: "off", className: "sizing-area", "aria-describedby": `${id}-about` });
    const file = node("input", { type: "file", accept: ".txt,.log,text/plain", className: "sizing-file", "aria-label": `${words.file}: ${words.label}` });
    const about = node("p", { id: `${id}-about`, className: "sizing-about" }, words.help);
    const wrong = alert("sizing-error sizing-bring-error");
    const note = node("p", { className: "sizing-about", role: "status", hidden: true });
    const check = node("button", { type: "submit", className: "sizing-button sizing-go" }, words.check);
    const clear = button(words.clear, () => { text.value = ""; whole = ""; tell(note, ""); model.send({ kind: "log", text: "" }); text.focus(); });
    const form = node("form", { noValidate: true },
      node("div", { className: "sizing-label-row" }, node("label", { htmlFor: id, className: "sizing-label" }, words.label),
        node("label", { className: "sizing-button sizing-file-button" }, words.file, file)),
      text, about, note, wrong, node("div", { className: "sizing-buttons" }, check, clear));
    el.append(form);
    const take = (given, cut = given.length > most) => {
      whole = given.length > shown ? given.slice(0, most) : "";
      text.value = given.slice(0, shown);
      tell(note, [...(cut ? [words.cut] : []), ...(whole ? [words.shown] : [])].join(" "));
    };
    // What the area would hold with a text put in place of the selection; a short one is left to the browser.
    const put = (event, given) => {
      const before = text.value.slice(0, text.selectionStart), after = text.value.slice(text.selectionEnd);
      if (before.length + given.length + after.length <= shown) return;
      event.preventDefault();
      take(before + given + after);
    };
    text.addEventListener("paste", (event) => put(event, event.clipboardData?.getData("text/plain") ?? ""));
    text.addEventListener("drop", (event) => {
      const dropped = event.dataTransfer?.files?.[0];
      if (!dropped) { put(event, event.dataTransfer?.getData("text/plain") ?? ""); return; }
      event.preventDefault();
      read(dropped);
    });
    text.addEventListener("input", () => {
      if (whole) { whole = ""; tell(note, words.edited); } else note.hidden = true;
    });
    const read = async (chosen) => take(await chosen.slice(0, most).text(), chosen.size > most);
    file.addEventListener("change", async () => {
      if (file.files[0]) await read(file.files[0]);
      file.value = "";
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      model.send({ kind: "log", text: (whole || text.value).slice(0, most) });
    });
    watch(model, ["error"], () => {
      tell(wrong, model.get("error"));
      text.setAttribute("aria-invalid", String(Boolean(model.get("error"))));
    });
  },
};
