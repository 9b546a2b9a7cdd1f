// What a page without a server needs before JupyterLite starts.
globalThis.update_loading_text = globalThis.display_cells = () => {};

// Not as a script's address: one on its way would hold up the page's load event, and JupyterLite starts with that.
globalThis.sizingPlotly = fetch("plotly.min.js", { priority: "low" })
  .then((response) => (response.ok ? response.blob() : Promise.reject(new Error(response.statusText))))
  .then((blob) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = URL.createObjectURL(blob);
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => reject(new Error("plotly.js cannot be run"));
    document.head.append(script);
  }));
globalThis.sizingPlotly.catch(() => {});

const sizingWords = (language) => JSON.parse(document.getElementById("sizing-words").textContent)[language];

// The first cell is told the address' query, written as Python reads it; the wait speaks the address' language.
globalThis.sizingFillIn = () => {
  const config = document.getElementById("jupyter-config-data");
  const parsed = JSON.parse(config.textContent);
  const [first] = parsed.notebookSrc.cells;
  first.source = first.source.replace("__QUERY__", () => JSON.stringify(location.search.replace(/^\?/, "")));
  config.textContent = JSON.stringify(parsed);
  const wait = document.getElementById("sizing-wait");
  const language = new URLSearchParams(location.search).get("lang");
  const words = sizingWords(language);
  if (!words) return;
  document.documentElement.lang = language;
  wait.dataset.slow = words.slow;
  wait.querySelector("p").textContent = words.preparing;
  document.querySelector("#sizing-gone button").textContent = words.reload;
};

function toPages(place) {
  for (const link of place.matches("a[href]") ? [place] : place.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href");
    if (/^[\w-]+\.ipynb(?=[?#]|$)/.test(href)) link.setAttribute("href", href.replace(".ipynb", ".html"));
  }
}

// A cell that failed is told in one sentence; what Python says of it is for the console. A mere warning looks the same.
function tell(place) {
  const said = '[data-mime-type$="stderr"]';
  const failed = place.closest(said) ?? place.querySelector(said);
  if (!failed?.textContent.includes("Traceback (most recent call last)")) return;
  console.error(failed.textContent);
  failed.replaceChildren();
  if (document.querySelector(".sizing-fault")) return;
  const words = sizingWords(document.documentElement.lang);
  const sentence = Object.assign(document.createElement("p"), { className: "sizing-fault", textContent: words.fault });
  sentence.setAttribute("role", "alert");
  document.getElementById("rendered_cells").prepend(sentence);
}

// A notebook's page has another ending here than on a server.
new MutationObserver((changes) => {
  for (const change of changes) {
    const places = change.type === "attributes" ? [change.target] : change.addedNodes;
    for (const place of places) {
      if (place.nodeType !== Node.ELEMENT_NODE) continue;
      toPages(place);
      if (change.type === "childList") tell(place);
    }
  }
}).observe(document, { subtree: true, childList: true, attributeFilter: ["href"] });

// Once the page is there, the browser keeps the site; where it may not (no encryption, private window), all else works.
new MutationObserver((_, watch) => {
  if (document.documentElement.dataset.page !== "shown") return;
  watch.disconnect();
  navigator.serviceWorker?.register("sw.js").catch(() => {});
}).observe(document.documentElement, { attributeFilter: ["data-page"] });
