// A text to take along, as it stands, with a button that copies it.
import { button, copied, node, watch } from "./dom.js";

export default {
  render({ model, el }) {
    el.classList.add("sizing-snippet");
    const words = model.get("words");
    const title = node("p", { className: "sizing-snippet-title" });
    const text = node("pre", { tabIndex: 0, role: "group" }); // a name needs a role
    const copy = button("", async () => {
      const done = await copied(model.get("text"), () => getSelection().selectAllChildren(text));
      copy.textContent = done ? words.copied : words.marked;
    });
    el.append(node("div", { className: "sizing-label-row" }, title, copy), text);
    watch(model, ["text", "title"], () => {
      el.hidden = !model.get("text");
      title.textContent = model.get("title");
      text.textContent = model.get("text");
      text.setAttribute("aria-label", model.get("title"));
      copy.textContent = words.copy;
      copy.setAttribute("aria-label", `${words.copy}: ${model.get("title")}`);
    });
  },
};
