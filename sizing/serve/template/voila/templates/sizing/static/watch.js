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
  // A browser that is too busy to take the widgets in has a place for the page and nothing in it: once more, once.
  const AGAIN = "sizing-again";
  const broken = () => [...cells.querySelectorAll(".jupyter-widgets")].some((place) => !place.children.length && place.textContent.trim());
  const again = () => {
    try {
      if (sessionStorage.getItem(AGAIN) === location.pathname) return;
      sessionStorage.setItem(AGAIN, location.pathname);
    } catch {
      return;
    }
    location.reload();
  };
  const show = () => {
    if (broken()) return void again();
    // A page that was made before its visitor came shows the visitor's link first (address.js).
    const made = cells.querySelector(".jupyter-widgets > *") && !root.dataset.arriving;
    if (!made && !cells.querySelector(".sizing-fault")) return;
    clearTimeout(late);
    arrivals.disconnect();
    wait.hidden = true;
    try { sessionStorage.removeItem(AGAIN); } catch { /* a browser that keeps nothing */ }
    root.dataset.page = "shown";
  };
  const arrivals = new MutationObserver(show);
  arrivals.observe(cells, { childList: true, subtree: true });
  arrivals.observe(root, { attributeFilter: ["data-arriving"] });
  show();
})();
