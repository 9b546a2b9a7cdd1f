// From the wait to the page.
(() => {
  const root = document.documentElement;
  const wait = document.getElementById("sizing-wait");
  const cells = document.getElementById("rendered_cells");
  const late = setTimeout(() => {
    const reload = Object.assign(document.createElement("button"), { textContent: document.querySelector("#sizing-gone button").textContent });
    reload.onclick = () => location.reload();
    wait.querySelector("p").replaceChildren(`${wait.dataset.slow} `, reload);
  }, 30000);
  const show = () => {
    // A page that was made before its visitor came shows the visitor's link first (address.js).
    const made = cells.querySelector(".jupyter-widgets") && !root.dataset.arriving;
    if (!made && !cells.querySelector(".sizing-fault")) return;
    clearTimeout(late);
    arrivals.disconnect();
    wait.hidden = true;
    root.dataset.page = "shown";
  };
  const arrivals = new MutationObserver(show);
  arrivals.observe(cells, { childList: true, subtree: true });
  arrivals.observe(root, { attributeFilter: ["data-arriving"] });
  show();
})();
