// A start-up log to paste or to upload. Its first part is what counts, so that a long file is cut, and says so.

const node = (tag, props = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key in made && key !== "role") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};
let count = 0;

export default {
  render({ model, el }) {
    const words = model.get("words");
    const most = model.get("most_characters");
    const id = `log-${++count}`;
    el.classList.add("sizing-log");
    const text = node("textarea", { id, rows: 7, spellcheck: false, autocomplete: "off", wrap: "off", className: "sizing-area", "aria-describedby": `${id}-about` });
    const file = node("input", { type: "file", accept: ".txt,.log,text/plain", className: "sizing-file", "aria-label": `${words.file}: ${words.label}` });
    const about = node("p", { id: `${id}-about`, className: "sizing-about" }, words.help);
    const wrong = node("p", { className: "sizing-error sizing-bring-error", role: "alert", hidden: true });
    const note = node("p", { className: "sizing-about", role: "status", hidden: true }, words.cut);
    const check = node("button", { type: "submit", className: "sizing-button sizing-go" }, words.check);
    const clear = node("button", { type: "button", className: "sizing-button" }, words.clear);
    const form = node("form", { noValidate: true },
      node("div", { className: "sizing-label-row" }, node("label", { htmlFor: id, className: "sizing-label" }, words.label),
        node("label", { className: "sizing-button sizing-file-button" }, words.file, file)),
      text, about, note, wrong, node("div", { className: "sizing-buttons" }, check, clear));
    el.append(form);
    file.addEventListener("change", async () => {
      if (file.files[0]) text.value = await file.files[0].slice(0, most).text();
      file.value = "";
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      note.hidden = text.value.length <= most;
      model.send({ kind: "log", text: text.value.slice(0, most) });
    });
    clear.addEventListener("click", () => { text.value = ""; note.hidden = true; model.send({ kind: "log", text: "" }); text.focus(); });
    const update = () => {
      wrong.textContent = model.get("error");
      wrong.hidden = !model.get("error");
      text.setAttribute("aria-invalid", String(Boolean(model.get("error"))));
    };
    update();
    model.on("change:error", update);
  },
};
