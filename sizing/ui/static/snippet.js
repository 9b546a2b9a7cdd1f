// A text to take along, as it stands, with a button that copies it.
export default {
  render({ model, el }) {
    el.classList.add("sizing-snippet");
    const words = model.get("words");
    const title = Object.assign(document.createElement("p"), { className: "sizing-snippet-title" });
    const button = Object.assign(document.createElement("button"), { type: "button", className: "sizing-button" });
    const text = Object.assign(document.createElement("pre"), { tabIndex: 0 });
    text.setAttribute("role", "group"); // a name needs a role
    const head = Object.assign(document.createElement("div"), { className: "sizing-label-row" });
    head.append(title, button);
    el.append(head, text);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(model.get("text"));
        button.textContent = words.copied;
      } catch {
        // No clipboard here (an address without encryption): the text is marked, ready for the keyboard.
        getSelection().selectAllChildren(text);
        button.textContent = words.marked;
      }
    });
    const show = () => {
      el.hidden = !model.get("text");
      title.textContent = model.get("title");
      text.textContent = model.get("text");
      text.setAttribute("aria-label", model.get("title"));
      button.textContent = words.copy;
      button.setAttribute("aria-label", `${words.copy}: ${model.get("title")}`);
    };
    show();
    model.on("change:text", show);
    model.on("change:title", show);
  },
};
