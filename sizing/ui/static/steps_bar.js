// The steps of a call. They are links within the page: reached by Tab, told as a list, the current one marked.
import { button, node, watch } from "./dom.js";

export default {
  render({ model, el }) {
    el.classList.add("sizing-steps");
    const list = node("ol");
    const nav = node("nav", {}, list);
    el.append(nav);
    const steps = new Map();
    const make = (name) => {
      const made = { title: node("span", { className: "sizing-step-name" }), summary: node("span", { className: "sizing-step-summary" }) };
      made.button = button(made.title, () => model.send({ kind: "go", step: name }), { className: "", "data-step": name });
      made.button.append(made.summary);
      list.append(node("li", {}, made.button));
      steps.set(name, made);
      return made;
    };
    watch(model, ["steps", "current", "label"], () => {
      nav.setAttribute("aria-label", model.get("label"));
      for (const { name, title, summary, state } of model.get("steps")) {
        const made = steps.get(name) ?? make(name);
        made.title.textContent = title;
        if (made.summary.textContent !== summary) made.summary.textContent = summary;
        made.button.dataset.state = state;
        if (name === model.get("current")) made.button.setAttribute("aria-current", "step");
        else made.button.removeAttribute("aria-current");
      }
    });
  },
};
