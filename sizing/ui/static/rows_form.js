// A list of things (services, platforms): native controls in folded rows. One message travels at a time.
// Messages wait in turn; a newer edit of a field takes the place of an older one.
import { button, courier, foldButton, node, watch } from "./dom.js";

function mail(model) {
  const waiting = [];
  const send = courier(model, 8000, () => waiting.shift() ?? null);
  return (message) => {
    const same = waiting.findIndex((each) => each.kind === "edit" && message.kind === "edit" && each.service === message.service && each.field === message.field);
    if (same >= 0) waiting.splice(same, 1);
    waiting.push(message);
    send();
  };
}

let forms = 0;

function makeField(field, prefix, post, models) {
  const ids = { input: `${prefix}-${field.name}`, about: `${prefix}-${field.name}-about` };
  const label = node("label", { htmlFor: ids.input, className: "sizing-label" }, field.label);
  const help = node("span", { className: "sizing-help" }, field.help);
  const error = node("span", { className: "sizing-error", role: "alert" });
  let control;
  let shown = "";
  if (field.kind === "choice") {
    control = node("select", { id: ids.input, className: "sizing-select", "aria-describedby": ids.about });
    control.addEventListener("change", () => post(control.value));
  } else {
    const search = field.kind === "id";
    control = node("input", { id: ids.input, type: "text", autocomplete: "off", spellcheck: false, list: search ? models : undefined,
      inputMode: search ? undefined : "decimal", className: search ? "sizing-search" : "sizing-number", "aria-describedby": ids.about });
    control.addEventListener("change", () => post(control.value));
  }
  const unit = field.unit ? node("span", { className: "sizing-unit" }, field.unit) : null;
  const element = node("div", { className: `sizing-field sizing-service-${field.name}`, "data-input": field.name },
    node("div", { className: "sizing-label-row" }, label),
    field.kind === "integer" || field.kind === "number" ? node("span", { className: "sizing-entry" }, control, unit) : control,
    node("p", { id: ids.about, className: "sizing-about" }, help, error));
  return {
    element,
    show(fresh) {
      if (field.kind === "choice") {
        const options = JSON.stringify(fresh.options);
        if (options !== shown) {
          shown = options;
          control.replaceChildren(...fresh.options.map(([value, text]) => node("option", { value }, text)));
        }
        control.value = fresh.text;
      } else if (document.activeElement !== control) {
        control.value = fresh.text;
      }
      if (error.textContent !== fresh.error) error.textContent = fresh.error;
      element.classList.toggle("sizing-wrong", Boolean(fresh.error));
      control.setAttribute("aria-invalid", String(Boolean(fresh.error)));
    },
    focus() { control.focus(); },
  };
}

export default {
  render({ model, el }) {
    const words = model.get("words");
    const prefix = `services-${++forms}`;
    const post = mail(model);
    el.classList.add("sizing-form", "sizing-services");
    const models = node("datalist", { id: `${prefix}-models` }, ...model.get("models").map((value) => node("option", { value })));
    const preset = node("select", { id: `${prefix}-preset`, className: "sizing-select" });
    preset.addEventListener("change", () => preset.value && post({ kind: "preset", name: preset.value }));
    const list = node("div", { className: "sizing-service-list" });
    const add = button(words.add, () => post({ kind: "add" }));
    const full = node("span", { className: "sizing-unit" });
    const own = node("div", {});
    const remedy = node("p", { className: "sizing-remedy" });
    const makeFit = button(words.make_fit, () => post({ kind: "make_fit" }));
    const remedyBox = node("div", { className: "sizing-remedy-box", hidden: true }, remedy, makeFit);
    const group = node("fieldset", { className: "sizing-group" },
      node("legend", {}, words.title),
      node("div", { className: "sizing-field" }, node("label", { htmlFor: preset.id, className: "sizing-label" }, words.preset), preset),
      list, node("div", { className: "sizing-service-buttons" }, add, full), remedyBox, own);
    el.append(foldButton(el, words.fold), models, group);

    let rows = [];
    let fields = new Map();
    const makeRow = (data, index) => {
      const text = node("span", { className: "sizing-service-name" });
      const flag = node("span", { className: "sizing-service-flag" });
      const inside = data.fields.map((field) => {
        const made = makeField(field, `${prefix}-${index}`, (value) => post({ kind: "edit", service: index, field: field.name, text: value }), models.id);
        return [field.name, made];
      });
      const remove = button(words.remove, () => { add.focus(); post({ kind: "remove", service: index }); }, { className: "sizing-button sizing-service-remove" });
      const details = node("details", { className: "sizing-service" },
        node("summary", {}, node("b", {}, data.letter), text, flag),
        node("div", { className: "sizing-service-fields" }, ...inside.map(([, made]) => made.element), remove));
      list.append(details);
      const byName = new Map(inside);
      return {
        show(fresh, alone) {
          text.textContent = fresh.summary;
          flag.textContent = fresh.placed ? "" : words.no_place;
          remove.disabled = alone;
          remove.setAttribute("aria-label", `${words.remove}: ${fresh.letter} ${fresh.summary}`);
          for (const field of fresh.fields) byName.get(field.name)?.show(field);
          if (fresh.wrong) details.open = true;
        },
        open() { details.open = true; inside[0][1].focus(); },
      };
    };
    const show = (first) => {
      const fresh = model.get("rows");
      const grown = fresh.length === rows.length + 1 && !first;
      if (fresh.length !== rows.length) {
        if (grown) rows.push(makeRow(fresh.at(-1), fresh.length - 1));
        else { list.replaceChildren(); rows = fresh.map(makeRow); }
      }
      fresh.forEach((data, index) => rows[index].show(data, fresh.length === 1));
      if (grown && document.activeElement === add) rows.at(-1).open();
      const names = model.get("own").map((field) => field.name).join();
      if (own.dataset.names !== names) {
        own.dataset.names = names;
        fields = new Map(model.get("own").map((field) => [field.name,
          makeField(field, `${prefix}-plan`, (value) => post({ kind: "edit", service: -1, field: field.name, text: value }), models.id)]));
        const focused = document.activeElement?.id;
        own.replaceChildren(...[...fields.values()].map((made) => made.element));
        if (focused) document.getElementById(focused)?.focus();
      }
      for (const field of model.get("own")) fields.get(field.name).show(field);
      const choices = [["", words.own_list], ...model.get("presets")];
      if (!preset.options.length) preset.replaceChildren(...choices.map(([value, label]) => node("option", { value }, label)));
      preset.value = model.get("preset");
      add.disabled = model.get("full");
      full.textContent = model.get("full") ? words.full : "";
      remedy.textContent = model.get("remedy");
      remedyBox.hidden = !model.get("remedy");
    };
    let first = true;
    watch(model, ["rows", "own", "preset", "remedy", "full"], () => { show(first); first = false; });
  },
};
