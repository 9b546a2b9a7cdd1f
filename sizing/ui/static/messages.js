// What a visitor must know now. Text only: nothing that was typed becomes HTML.
import { node, watch } from "./dom.js";

export default {
  render({ model, el }) {
    el.classList.add("sizing-messages");
    el.setAttribute("role", "alert");
    watch(model, ["sentences"], () => {
      const sentences = model.get("sentences");
      el.replaceChildren(...sentences.map(([what, fix]) => node("p", {}, node("strong", {}, what), ` ${fix}`)));
      el.hidden = sentences.length === 0;
    });
  },
};
