// The head of a page: a link past everything to the results, the page's name as its first heading, and an eye on the
// kernel: when it does not live, the page says so.
import { node, tell, watch } from "./dom.js";

const STEP_MS = 3000; // how long an answer may take before the server is asked
const REGULAR_MS = 30000; // between two questions while the page is in view
const STALE_MS = 5000; // after this much silence, a visitor's first touch asks at once
const FORGOTTEN_MS = 30 * 60000; // an untouched page stops asking, so that its kernel can be given back

function follow(model, banner) {
  const config = JSON.parse(document.getElementById("jupyter-config-data").textContent);
  const address = `${config.baseUrl}api/kernels/${config.kernelId}`;
  let asked = 0, answered = 0, lastAnswer = Date.now(), lastTouch = Date.now(), misses = 0, timer = null;

  const say = (which) => {
    document.documentElement.dataset.kernel = which;
    banner.hidden = which === "alive";
    if (which !== "alive") banner.querySelector("p").textContent = model.get("sentences")[which];
    banner.querySelector("button").textContent = model.get("sentences").reload;
  };
  const ask = () => {
    if (timer !== null) return;
    asked += 1;
    timer = setTimeout(doubt, STEP_MS);
    try {
      model.send({ kind: "ping", asked });
    } catch {
      // a connection that is closed for good: no answer will come, and the doubt is justified
    }
  };
  const again = (delay) => {
    timer = null;
    if (delay) timer = setTimeout(() => { timer = null; ask(); }, delay);
    else ask();
  };
  const doubt = async () => {
    if (answered === asked) return void (timer = null);
    let response;
    try {
      response = await fetch(address, { cache: "no-store" });
    } catch {
      say("unreachable");
      return again(STEP_MS);
    }
    const state = response.ok ? (await response.json()).execution_state : "none";
    if (state === "busy") return void (timer = setTimeout(doubt, STEP_MS));
    misses += 1;
    if (state === "none" || misses > 1) {
      timer = null;
      return say("gone");
    }
    again(0);
  };
  const answer = (message) => {
    if (message?.kind !== "pong") return;
    answered = message.asked;
    lastAnswer = Date.now();
    misses = 0;
    if (answered === asked) {
      clearTimeout(timer);
      timer = null;
    }
    if (document.documentElement.dataset.kernel !== "alive") say("alive");
  };
  const touch = () => {
    lastTouch = Date.now();
    if (lastTouch - lastAnswer > STALE_MS) ask();
  };
  const look = () => document.visibilityState === "visible" && ask();
  const regular = setInterval(() => {
    if (document.visibilityState === "visible" && Date.now() - lastTouch < FORGOTTEN_MS) ask();
  }, REGULAR_MS);

  banner.querySelector("button").onclick = () => location.reload();
  model.on("msg:custom", answer);
  for (const event of ["input", "pointerdown", "keydown"]) addEventListener(event, touch, { capture: true, passive: true });
  document.addEventListener("visibilitychange", look);
  addEventListener("online", ask);
  say("alive");
  return () => {
    clearInterval(regular);
    clearTimeout(timer);
    model.off("msg:custom", answer);
    for (const event of ["input", "pointerdown", "keydown"]) removeEventListener(event, touch, { capture: true });
    document.removeEventListener("visibilitychange", look);
    removeEventListener("online", ask);
  };
}

function begin(model, el) {
  const skip = node("a", { className: "sizing-skip", href: "#" });
  const heading = node("h1", { className: "sizing-said" });
  el.classList.add("sizing-top");
  el.append(skip, heading);
  skip.addEventListener("click", (event) => {
    event.preventDefault(); // the address holds the scenario, and nothing else
    const results = document.querySelector(".sizing-results") ?? document.querySelector(".sizing-head")?.nextElementSibling;
    if (!results) return;
    results.tabIndex = -1;
    results.focus();
    results.scrollIntoView();
  });
  watch(model, ["sentences", "title"], () => {
    skip.textContent = model.get("sentences").to_results;
    document.documentElement.style.setProperty("--sizing-behind", JSON.stringify(model.get("sentences").behind));
    tell(heading, model.get("title"));
  });
}

export default {
  render({ model, el }) {
    const banner = document.getElementById("sizing-gone");
    if (banner) {
      begin(model, el);
      // Without a server the kernel is the page's own, and lives as long as it does.
      return document.body.dataset.static ? undefined : follow(model, banner);
    }
    el.hidden = true;
    // JupyterLab: it shows the kernel's state itself, but has no look of ours yet.
    if (!document.getElementById("sizing-look")) {
      document.head.append(node("style", { id: "sizing-look" }, model.get("css")));
    }
  },
};
