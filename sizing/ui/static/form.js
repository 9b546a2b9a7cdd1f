// The inputs of a page: native controls. One edit travels at a time; while it is answered, newer ones replace each other.
import { button, courier, foldButton, node, watch } from "./dom.js";

// The newest text of each input, one edit at a time.
function mail(model) {
  let waiting = {};
  const send = courier(model, 4000, () => {
    if (!Object.keys(waiting).length) return null;
    const changes = waiting;
    waiting = {};
    return { kind: "edit", changes };
  });
  return {
    edit: (name, text) => { delete waiting[name]; waiting[name] = text; send(); },
    reset: (name) => { waiting = {}; model.send({ kind: "reset", name: name ?? null, seq: 0 }); },
  };
}

// The slider stands at the nearest stop; between stops the number beside it tells.
const nearest = (stops, number) => {
  let best = 0;
  stops.forEach((stop, index) => { if (Math.abs(stop - number) < Math.abs(stops[best] - number)) best = index; });
  return best;
};

function numberControl(field, ids, post) {
  const text = node("input", { id: ids.input, type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false,
    className: "sizing-number", "aria-describedby": ids.about });
  const unit = node("span", { className: "sizing-unit" }, field.unit);
  const slider = node("input", { type: "range", min: 0, step: 1, className: "sizing-range", "aria-describedby": ids.about });
  let now = field;
  slider.addEventListener("input", () => {
    const stop = now.stops[slider.valueAsNumber];
    text.value = stop.text;
    slider.setAttribute("aria-valuetext", `${stop.text} ${now.unit}`.trim());
    post(stop.raw);
  });
  text.addEventListener("input", () => post(text.value));
  return {
    element: node("div", { className: "sizing-numeric" }, slider, node("span", { className: "sizing-entry" }, text, unit)),
    focusable: text,
    describe(fresh) {
      now = fresh;
      slider.max = Math.max(0, fresh.stops.length - 1);
      slider.setAttribute("aria-label", fresh.label);
      unit.textContent = fresh.unit;
    },
    show(value) {
      if (document.activeElement !== text) text.value = value.text;
      if (document.activeElement !== slider || value.error) {
        if (value.number !== null) slider.value = nearest(now.stops.map((stop) => stop.number), value.number);
      }
      slider.setAttribute("aria-valuetext", `${value.text} ${now.unit}`.trim());
    },
  };
}

function textControl(field, ids, post) {
  const text = node("input", { id: ids.input, type: "text", autocomplete: "off", spellcheck: false,
    className: "sizing-search", "aria-describedby": ids.about });
  const unit = node("span", { className: "sizing-unit" }, field.unit);
  text.addEventListener("change", () => post(text.value));
  return {
    element: node("div", { className: "sizing-numeric" }, text, unit),
    focusable: text,
    describe(fresh) { unit.textContent = fresh.unit; },
    show(value) { if (document.activeElement !== text) text.value = value.text; },
  };
}

function choiceControl(field, ids, post) {
  const select = node("select", { id: ids.input, className: "sizing-select", "aria-describedby": ids.about });
  let shown = "";
  select.addEventListener("change", () => post(select.value));
  return {
    element: select,
    focusable: select,
    describe(fresh) {
      const wanted = JSON.stringify(fresh.options);
      if (wanted === shown) return;
      shown = wanted;
      const value = select.value;
      select.replaceChildren(...fresh.options.map((option) => node("option", { value: option.value }, option.label)));
      select.value = value;
    },
    show(value) { select.value = value.raw; },
  };
}

// A list to search in: every typed word must occur in the option. Keys and roles follow the ARIA combobox pattern.
function searchControl(field, ids, post, words) {
  const input = node("input", { id: ids.input, type: "text", role: "combobox", autocomplete: "off", spellcheck: false,
    className: "sizing-search", "aria-expanded": "false", "aria-controls": ids.list, "aria-autocomplete": "list",
    "aria-describedby": ids.about });
  const list = node("ul", { id: ids.list, role: "listbox", className: "sizing-options", hidden: true });
  let options = [];
  let found = [];
  let active = -1;
  let current = "";
  const open = (query) => {
    const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
    found = options.filter((option) => parts.every((part) => `${option.value} ${option.label}`.toLowerCase().includes(part)));
    active = found.findIndex((option) => option.value === current);
    list.replaceChildren(
      ...found.map((option, index) => node("li", { id: `${ids.list}-${index}`, role: "option", className: "sizing-option",
        "aria-selected": String(option.value === current) }, option.label)),
      ...(found.length ? [] : [node("li", { className: "sizing-option sizing-nothing" }, words.nothing_found)]),
    );
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark();
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = () => {
    [...list.children].forEach((item, index) => item.classList.toggle("sizing-active", index === active));
    const item = list.children[active];
    if (item) { input.setAttribute("aria-activedescendant", item.id); item.scrollIntoView({ block: "nearest" }); }
    else input.removeAttribute("aria-activedescendant");
  };
  const take = (option) => { current = option.value; input.value = option.label; close(); post(option.value); };
  const restore = () => { input.value = options.find((option) => option.value === current)?.label ?? current; };
  input.addEventListener("focus", () => { input.select(); });
  input.addEventListener("click", () => { if (list.hidden) open(""); });
  input.addEventListener("input", () => { open(input.value); active = found.length ? 0 : -1; mark(); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) open("");
      else if (found.length) active = (active + (event.key === "ArrowDown" ? 1 : -1) + found.length) % found.length;
      mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!list.hidden && found[active]) take(found[active]);
      else if (input.value.trim()) { current = input.value.trim(); post(current); }
      close();
      input.select(); // the next word typed takes the place of this one
    } else if (event.key === "Tab" && !list.hidden && found[active] && input.value.trim()) {
      take(found[active]);
    } else if (event.key === "Escape") { close(); restore(); input.select(); }
  });
  input.addEventListener("blur", () => {
    // Text that names no option is sent as it stands: the answer says what is wrong with it, and it is not lost.
    const label = options.find((option) => option.value === current)?.label ?? current;
    if (!list.hidden || input.value !== label) {
      close();
      const exact = options.find((option) => option.value === input.value.trim() || option.label === input.value);
      if (exact) { if (exact.value !== current) take(exact); else input.value = exact.label; }
      else if (input.value.trim() && input.value !== label) { current = input.value.trim(); post(current); }
      else input.value = label;
    }
  });
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const index = [...list.children].indexOf(event.target.closest("li"));
    if (found[index]) take(found[index]);
  });
  return {
    element: node("div", { className: "sizing-combo" }, input, list),
    focusable: input,
    describe(fresh) { options = fresh.options; },
    show(value) {
      current = value.raw;
      const label = options.find((option) => option.value === value.raw)?.label ?? value.raw;
      if (document.activeElement !== input || list.hidden) input.value = label;
    },
  };
}

const CONTROLS = { text: textControl, number: numberControl, integer: numberControl, choice: choiceControl, id: searchControl };
let forms = 0;

function makeField(field, prefix, post, words) {
  const ids = { input: `${prefix}-${field.name}`, about: `${prefix}-${field.name}-about`, list: `${prefix}-${field.name}-list` };
  const make = field.search === false ? choiceControl : CONTROLS[field.kind];
  const control = make(field, ids, (text) => post.edit(field.name, text), words);
  const label = node("label", { htmlFor: ids.input, className: "sizing-label" });
  const changed = button("", () => { post.reset(field.name); control.focusable.focus(); }, { className: "sizing-changed", hidden: true });
  const also = node("span", { className: "sizing-also" });
  const help = node("span", { className: "sizing-help" });
  const error = node("span", { className: "sizing-error", role: "alert" });
  const element = node("div", { className: "sizing-field", "data-input": field.name },
    node("div", { className: "sizing-label-row" }, label, changed),
    control.element,
    node("p", { id: ids.about, className: "sizing-about" }, also, help, error));
  // Help lies over what is below; Escape puts it away until the field is come to again.
  element.addEventListener("keydown", (event) => { if (event.key === "Escape") element.classList.add("sizing-quiet"); });
  element.addEventListener("focusout", () => element.classList.remove("sizing-quiet"));
  return {
    element,
    describe(fresh) {
      label.textContent = fresh.label;
      help.textContent = fresh.help;
      control.describe(fresh);
    },
    show(value) {
      control.show(value);
      if (also.textContent !== value.also) also.textContent = value.also;
      if (error.textContent !== value.error) error.textContent = value.error;
      element.classList.toggle("sizing-wrong", Boolean(value.error));
      control.focusable.setAttribute("aria-invalid", String(Boolean(value.error)));
      changed.hidden = !value.changed;
      changed.textContent = value.changed;
      changed.title = words.set_back;
    },
  };
}

export default {
  render({ model, el }) {
    const post = mail(model);
    const words = model.get("words");
    const prefix = `form-${++forms}`;
    const fields = new Map();
    el.classList.add("sizing-form");
    el.append(foldButton(el, words.fold));
    const groups = new Map();
    for (const field of model.get("fields")) {
      if (!groups.has(field.group)) {
        const legend = field.folded ? node("summary", {}, field.group_label) : node("legend", {}, field.group_label);
        const group = node(field.folded ? "details" : "fieldset", { className: "sizing-group", "data-group": field.group }, legend);
        groups.set(field.group, group);
        el.append(group);
      }
      const made = makeField(field, prefix, post, words);
      fields.set(field.name, made);
      groups.get(field.group).append(made.element);
    }
    const reset = button(words.reset, () => post.reset(), { className: "sizing-button sizing-reset" });
    el.append(reset);
    const describe = () => { for (const field of model.get("fields")) fields.get(field.name)?.describe(field); };
    const show = () => {
      const values = model.get("values");
      for (const [name, field] of fields) if (values[name]) field.show(values[name]);
      reset.disabled = !Object.values(values).some((value) => value.changed);
      // An assumption that was changed, or is wrong, must not hide in a folded group.
      for (const [name, group] of groups) {
        const touched = model.get("fields").some((field) => field.group === name && (values[field.name]?.changed || values[field.name]?.error));
        group.classList.toggle("sizing-touched", touched);
        if (touched && group.tagName === "DETAILS" && !group.dataset.opened) { group.open = true; group.dataset.opened = "1"; }
      }
    };
    const choose = () => {
      const only = new Set(model.get("only"));
      for (const [name, field] of fields) field.element.hidden = only.size > 0 && !only.has(name);
      for (const group of groups.values()) group.hidden = ![...group.querySelectorAll(".sizing-field")].some((element) => !element.hidden);
    };
    watch(model, ["fields"], () => { describe(); show(); });
    watch(model, ["only"], choose);
    model.on("change:values", show);
  },
};
