// From the wait to the page, and from the page to the sentence that says the kernel is gone.
(() => {
  const wait = document.getElementById("sizing-wait");
  const cells = document.getElementById("rendered_cells");
  const drawn = () => cells.querySelector(".jupyter-widgets, .jp-OutputArea-output:not(:has(> script))");
  const show = () => {
    if (!drawn()) return;
    arrivals.disconnect();
    wait.hidden = true;
    document.documentElement.dataset.ready = "page";
  };
  const arrivals = new MutationObserver(show);
  arrivals.observe(cells, { childList: true, subtree: true });
  show();
})();
