// Links between the pages. The address of the page always holds the scenario. What it says beside that (the theme, the
// services of another page) is none of this page's and travels along.

export default {
  render({ model, el }) {
    el.classList.add("sizing-nav");
    const nav = document.createElement("nav");
    nav.setAttribute("aria-label", model.get("label"));
    el.append(nav);
    const links = model.get("pages").map(([file, title]) => {
      const link = document.createElement("a");
      link.textContent = title;
      link.dataset.file = file;
      if (file === model.get("current")) link.setAttribute("aria-current", "page");
      nav.append(link);
      return link;
    });
    const update = () => {
      const query = new URLSearchParams(model.get("query"));
      const here = new URLSearchParams(location.search);
      const own = new Set(model.get("own"));
      for (const [name, value] of here) if (!own.has(name)) query.append(name, value);
      // Slashes and colons may stand in a query as they are, which keeps a link readable.
      const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%7E", "~");
      for (const link of links) link.href = `${link.dataset.file}?${text}`;
      // Only where the page has an address of its own; in JupyterLab the address is the workspace's.
      if (document.body.dataset.voila) history.replaceState(history.state, "", `${location.pathname}?${text}${location.hash}`);
    };
    update();
    model.on("change:query", update);
  },
};
