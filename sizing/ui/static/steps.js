// The steps of a call. They are links within the page: reached by Tab, told as a list, the current one marked.
export default {
  render({ model, el }) {
    el.classList.add("sizing-steps");
    const nav = document.createElement("nav");
    const list = nav.appendChild(document.createElement("ol"));
    el.append(nav);
    const buttons = new Map();
    const show = () => {
      nav.setAttribute("aria-label", model.get("label"));
      for (const { name, title, summary, state } of model.get("steps")) {
        let made = buttons.get(name);
        if (!made) {
          const button = Object.assign(document.createElement("button"), { type: "button" });
          const titleElement = button.appendChild(Object.assign(document.createElement("span"), { className: "sizing-step-name" }));
          const summaryElement = button.appendChild(Object.assign(document.createElement("span"), { className: "sizing-step-summary" }));
          button.dataset.step = name;
          button.addEventListener("click", () => model.send({ kind: "go", step: name }));
          list.appendChild(document.createElement("li")).append(button);
          buttons.set(name, made = { button, titleElement, summaryElement });
        }
        made.titleElement.textContent = title;
        if (made.summaryElement.textContent !== summary) made.summaryElement.textContent = summary;
        made.button.dataset.state = state;
        if (name === model.get("current")) made.button.setAttribute("aria-current", "step");
        else made.button.removeAttribute("aria-current");
      }
    };
    show();
    for (const trait of ["steps", "current", "label"]) model.on(`change:${trait}`, show);
  },
};
