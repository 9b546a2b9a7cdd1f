// What a visitor must know now. Text only: nothing that was typed becomes HTML.
export default {
  render({ model, el }) {
    el.classList.add("sizing-messages");
    el.setAttribute("role", "alert");
    const draw = () => {
      el.replaceChildren(...model.get("sentences").map(([what, fix]) => {
        const line = document.createElement("p");
        line.append(Object.assign(document.createElement("strong"), { textContent: what }), ` ${fix}`);
        return line;
      }));
      el.hidden = model.get("sentences").length === 0;
    };
    draw();
    model.on("change:sentences", draw);
    return () => model.off("change:sentences", draw);
  },
};
