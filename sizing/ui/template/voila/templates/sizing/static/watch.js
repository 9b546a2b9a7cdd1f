// From the wait to the page.
(() => {
  const wait = document.getElementById("sizing-wait");
  const cells = document.getElementById("rendered_cells");
  const late = setTimeout(() => {
    const reload = Object.assign(document.createElement("button"), { textContent: document.querySelector("#sizing-gone button").textContent });
    reload.onclick = () => location.reload();
    wait.querySelector("p").replaceChildren(`${wait.dataset.slow} `, reload);
  }, 30000);
  const show = () => {
    if (!cells.querySelector(".jupyter-widgets, .sizing-fault")) return;
    clearTimeout(late);
    arrivals.disconnect();
    wait.hidden = true;
    document.documentElement.dataset.page = "shown";
  };
  const arrivals = new MutationObserver(show);
  arrivals.observe(cells, { childList: true, subtree: true });
  show();
})();
