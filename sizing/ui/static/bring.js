// A model to bring along: looked up on the Hub, pasted or uploaded, or an entry of the catalogue to change.
// What was typed stays in its fields, whatever the answer is; a copy of it outlives a reload of this tab.
import { alert, button, keep, kept, node, tell, watch } from "./dom.js";

const bytes = (text) => new Blob([text]).size;
const DRAFT = "sizing-brought";
let count = 0;

// A field with its label and help. on(value) is called while it is typed in.
function field(id, label, help, control) {
  control.id = id;
  control.setAttribute("aria-describedby", `${id}-about`);
  return node("div", { className: "sizing-field" },
    node("div", { className: "sizing-label-row" }, node("label", { htmlFor: id, className: "sizing-label" }, label)),
    control,
    node("p", { id: `${id}-about`, className: "sizing-about" }, node("span", { className: "sizing-help" }, help)));
}

const textInput = (props = {}) => node("input", { type: "text", autocomplete: "off", spellcheck: false, className: "sizing-search", ...props });
const area = (rows) => node("textarea", { rows, spellcheck: false, autocomplete: "off", className: "sizing-area", wrap: "off" });

// A text area that a file can be read into. The file is looked at for its size first, and never sent as a whole.
function paper(id, label, help, rows, words, most, complain) {
  const text = area(rows);
  const file = node("input", { type: "file", accept: ".json,.txt,application/json,text/plain", className: "sizing-file", "aria-label": `${words.file}: ${label}` });
  file.addEventListener("change", async () => {
    const chosen = file.files[0];
    if (!chosen) return;
    if (chosen.size > most) complain(words.too_long.replace("%s", chosen.name));
    else {
      text.value = await chosen.text();
      text.dispatchEvent(new Event("input"));
    }
    file.value = "";
  });
  // Too long a text is refused before the area gets it: laying out megabytes would freeze the page for seconds.
  for (const [kind, source] of [["paste", "clipboardData"], ["drop", "dataTransfer"]]) {
    text.addEventListener(kind, (event) => {
      if ((event[source]?.getData("text/plain") ?? "").length <= most) return;
      event.preventDefault();
      complain(words.too_long.replace("%s", words.text));
    });
  }
  const made = field(id, label, help, text);
  const button = node("label", { className: "sizing-button sizing-file-button" }, words.file, file);
  made.querySelector(".sizing-label-row").append(button);
  return { element: made, text };
}

export default {
  render({ model, el }) {
    const words = model.get("words");
    const most = model.get("most_bytes");
    const prefix = `bring-${++count}`;
    el.classList.add("sizing-bring");

    const status = node("p", { className: "sizing-bring-status", role: "status" });
    const wrong = alert("sizing-error sizing-bring-error");
    const complain = (text) => tell(wrong, text);

    // From the Hub
    const hubId = textInput({ placeholder: "openai/gpt-oss-120b" });
    const revision = textInput({ placeholder: "main" });
    const quantisation = node("select", { className: "sizing-select" });
    const configFrom = textInput({ placeholder: "owner/name" });
    const quantisationField = field(`${prefix}-quantisation`, words.quantisation, words.quantisation_help, quantisation);
    const configField = field(`${prefix}-config-from`, words.config_from, words.config_from_help, configFrom);
    const lookUp = node("button", { type: "submit", className: "sizing-button sizing-go" }, words.look_up);
    const progress = node("progress", { className: "sizing-progress", hidden: true, "aria-label": words.progress });
    const hub = node("form", { className: "sizing-bring-panel", noValidate: true },
      field(`${prefix}-hub`, words.hub_id, words.hub_id_help, hubId),
      field(`${prefix}-revision`, words.revision, words.revision_help, revision),
      quantisationField, configField, lookUp, progress);

    // As text
    const config = paper(`${prefix}-config`, "config.json", words.config_help, 9, words, most, complain);
    const quant = paper(`${prefix}-quant`, "hf_quant_config.json", words.quant_help, 4, words, most, complain);
    const weights = textInput({ inputMode: "decimal", className: "sizing-number sizing-weights" });
    const unit = node("select", { className: "sizing-select sizing-unit-choice", "aria-label": words.unit },
      ...[["gb", "GB"], ["gib", "GiB"], ["bytes", words.bytes]].map(([value, label]) => node("option", { value }, label)));
    const name = textInput({ placeholder: "owner/name" });
    const weightsField = field(`${prefix}-weights`, words.weights, words.weights_help, weights);
    const row = node("div", { className: "sizing-entry sizing-weights-row" });
    weights.replaceWith(row);
    row.append(weights, unit);
    const more = node("details", { className: "sizing-more" }, node("summary", {}, words.more), quant.element);
    const readIt = node("button", { type: "submit", className: "sizing-button sizing-go" }, words.read);
    const text = node("form", { className: "sizing-bring-panel", noValidate: true },
      config.element, weightsField, field(`${prefix}-name`, words.name, words.name_help, name), more, readIt);

    // From the catalogue
    const entry = textInput();
    entry.setAttribute("list", `${prefix}-entries`);
    const entries = node("datalist", { id: `${prefix}-entries` }, ...model.get("entries").map((id) => node("option", { value: id })));
    const use = node("button", { type: "submit", className: "sizing-button sizing-go" }, words.use);
    const change = button(words.change, () => { complain(""); model.send({ kind: "texts", id: entry.value.trim() }); });
    const catalogue = node("form", { className: "sizing-bring-panel", noValidate: true },
      field(`${prefix}-entry`, words.entry, words.entry_help, entry), entries,
      node("div", { className: "sizing-buttons" }, use, change));

    // Which way
    const panels = { hub, text, catalogue };
    let way = "hub";
    const radios = Object.keys(panels).map((key) => {
      const radio = node("input", { type: "radio", name: `${prefix}-way`, value: key });
      radio.addEventListener("change", () => { if (radio.checked) show(key); store(); });
      return radio;
    });
    const ways = node("fieldset", { className: "sizing-ways" }, node("legend", {}, words.way),
      ...radios.map((radio) => node("label", {}, radio, words[`way_${radio.value}`])));
    const show = (key) => {
      way = key;
      for (const [each, panel] of Object.entries(panels)) panel.hidden = each !== key;
      for (const radio of radios) radio.checked = radio.value === key;
      complain("");
    };

    const summary = node("summary", {}, words.title);
    const box = node("details", { className: "sizing-group sizing-bring-box", open: matchMedia("(min-width: 900px)").matches },
      summary, ways, hub, text, catalogue, status, wrong);
    el.append(box);

    // A draft in this tab only, so that a reload loses nothing.
    const parts = { hubId, revision, configFrom, config: config.text, quant: quant.text, weights, unit, name, entry };
    let changedFrom = "";
    const store = () => {
      const draft = { way, changedFrom };
      for (const [key, control] of Object.entries(parts)) draft[key] = control.value;
      keep(DRAFT, draft);
    };
    const draft = kept(DRAFT) ?? {};
    for (const [key, control] of Object.entries(parts)) if (typeof draft[key] === "string" && draft[key]) control.value = draft[key];
    if (typeof draft.changedFrom === "string") changedFrom = draft.changedFrom;
    if (Object.hasOwn(panels, draft.way)) way = draft.way;
    for (const control of Object.values(parts)) control.addEventListener("input", store);
    show(way);

    const tooLong = (...papers) => papers.find((text) => bytes(text) > most) !== undefined;
    hub.addEventListener("submit", (event) => {
      event.preventDefault();
      complain("");
      if (model.get("status").phase === "busy") return model.send({ kind: "cancel" });
      model.send({ kind: "look_up", id: hubId.value, revision: revision.value,
        quantisation: quantisationField.hidden ? "" : quantisation.value, config_from: configField.hidden ? "" : configFrom.value });
    });
    text.addEventListener("submit", (event) => {
      event.preventDefault();
      complain("");
      if (tooLong(config.text.value, quant.text.value)) return complain(words.too_long.replace("%s", words.text));
      model.send({ kind: "text", config: config.text.value, quant: quant.text.value, weights: weights.value, unit: unit.value, name: name.value, changed_from: changedFrom });
    });
    catalogue.addEventListener("submit", (event) => { event.preventDefault(); complain(""); model.send({ kind: "entry", id: entry.value.trim() }); });

    model.on("msg:custom", (message) => {
      if (message?.kind !== "texts") return;
      config.text.value = message.config;
      quant.text.value = message.quant;
      weights.value = message.weights;
      unit.value = message.unit;
      name.value = message.name;
      more.open = Boolean(message.quant);
      changedFrom = message.name;
      show("text");
      store();
      config.text.focus();
      config.text.setSelectionRange(0, 0);
    });

    watch(model, ["status"], () => {
      const now = model.get("status");
      const busy = now.phase === "busy";
      tell(status, now.text);
      complain(now.phase === "failed" ? `${now.what} ${now.fix}` : "");
      lookUp.textContent = busy ? words.cancel : words.look_up;
      lookUp.classList.toggle("sizing-cancel", busy);
      progress.hidden = !busy || !now.total;
      if (now.total) { progress.max = now.total; progress.value = now.done; }
      for (const button of [readIt, use, change]) button.disabled = busy;
      const offered = now.offered ?? [];
      quantisationField.hidden = offered.length === 0;
      if (offered.length) quantisation.replaceChildren(...offered.map((each) => node("option", { value: each.value }, each.label)));
      configField.hidden = !now.wants_config;
      if (now.config_from) { configFrom.value = now.config_from; }
      for (const [key, control] of [["hub", hubId], ["text", config.text], ["catalogue", entry]]) {
        control.setAttribute("aria-invalid", String(now.phase === "failed" && now.way === key));
      }
      el.dataset.phase = now.phase;
      if (now.phase === "done") {
        summary.textContent = now.title;
        // On a phone the answer comes into view.
        if (!matchMedia("(min-width: 900px)").matches) box.open = false;
      }
    });
  },
};
