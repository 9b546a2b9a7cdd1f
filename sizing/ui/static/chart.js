// One chart of a page. Every chart of a page shares one plotly.js: the one that the page's template has
// begun to load, or else one copy that the first chart asks of the kernel (JupyterLab, Binder).
const shared = (globalThis.sizingCharts ??= { plotly: null, views: new Set() });

const CONFIG = { displayModeBar: false, displaylogo: false, responsive: false, scrollZoom: false, doubleClick: false };

function plotly(model) {
  shared.plotly ??= Promise.resolve(globalThis.sizingPlotly)
    .catch(() => null)
    .then((found) => found ?? globalThis.Plotly ?? askKernel(model));
  return shared.plotly;
}

async function askKernel(model) {
  const packed = await new Promise((resolve) => {
    const receive = (message, buffers) => {
      if (message?.kind !== "plotly") return;
      model.off("msg:custom", receive);
      resolve(buffers[0]);
    };
    model.on("msg:custom", receive);
    model.send({ kind: "plotly" });
  });
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const url = URL.createObjectURL(new Blob([await new Response(unpacked).arrayBuffer()], { type: "text/javascript" }));
  const script = document.createElement("script");
  script.src = url;
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error("plotly.js did not load"));
  });
  document.head.append(script);
  await loaded;
  URL.revokeObjectURL(url);
  return globalThis.Plotly;
}

// Figures name colours as CSS variables; plotly draws SVG and needs what they stand for just now.
function coloured(value, styles) {
  if (typeof value === "string") {
    return value.includes("var(--") ? value.replace(/var\((--[\w-]+)\)/g, (_, name) => styles.getPropertyValue(name).trim()) : value;
  }
  if (Array.isArray(value)) {
    return typeof value[0] === "number" ? value.slice() : value.map((item) => coloured(item, styles));
  }
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, coloured(item, styles)]));
  }
  return value;
}

// Lets what has already arrived be taken in first; a page that nobody sees waits until it is seen.
const pause = () => new Promise((resolve) => (document.hidden ? requestAnimationFrame(resolve) : setTimeout(resolve)));

function whenThemeChanges(redraw) {
  const watcher = new MutationObserver(redraw);
  watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  watcher.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", redraw);
  return () => {
    watcher.disconnect();
    system.removeEventListener("change", redraw);
  };
}

export default {
  async render({ model, el: host }) {
    // An element of our own: Jupyter sets the size of the host by its own rules.
    const el = host.appendChild(document.createElement("div"));
    el.className = "sizing-chart";
    el.style.height = `${model.get("height")}px`;
    el.dataset.chart = model.get("name");
    el.setAttribute("role", "img");
    const plot = el.appendChild(document.createElement("div"));
    plot.className = "sizing-chart-plot";
    let closed = false;
    let wanted = false; // a figure newer than the one on the screen has come
    let drawing = false;
    let width = 0;

    const describe = () => el.setAttribute("aria-label", model.get("alt"));
    const resize = () => {
      el.style.height = `${model.get("height")}px`;
      want();
    };

    // Only the newest figure is drawn: whatever came while one was being drawn is overtaken by the last.
    // A chart that has no width (a closed section, a hidden tab) waits until it has.
    const draw = async () => {
      if (drawing || closed) return;
      drawing = true;
      try {
        const Plotly = await plotly(model);
        while (wanted && !closed && el.offsetWidth > 0) {
          await pause();
          wanted = false;
          width = el.offsetWidth;
          const seq = model.get("seq");
          const styles = getComputedStyle(el);
          const layout = coloured(model.get("figure_layout"), styles);
          await Plotly.react(plot, coloured(model.get("figure_data"), styles), { ...layout, width, height: model.get("height") }, CONFIG);
          el.dataset.drawn = seq;
          el.dispatchEvent(new CustomEvent("sizing:drawn", { bubbles: true, detail: { seq } }));
        }
        delete el.dataset.failed;
      } catch (error) {
        console.error("chart", model.get("name"), error);
        el.dataset.failed = String(error);
      } finally {
        drawing = false;
      }
      if (wanted && !closed && el.offsetWidth > 0 && !el.dataset.failed) draw();
    };
    const want = () => {
      el.dataset.newest = model.get("seq");
      if (model.get("seq") === 0) return; // nothing to show yet
      wanted = true;
      delete el.dataset.failed;
      draw();
    };

    describe();
    model.on("change:alt", describe);
    model.on("change:seq", want);
    model.on("change:height", resize);
    const forgetTheme = whenThemeChanges(want);
    const observer = new ResizeObserver(() => {
      if (el.offsetWidth > 0 && (wanted || el.offsetWidth !== width)) want();
    });
    observer.observe(el);
    want();

    return () => {
      closed = true;
      observer.disconnect();
      forgetTheme();
      model.off("change:alt", describe);
      model.off("change:seq", want);
      model.off("change:height", resize);
      globalThis.Plotly?.purge(plot);
    };
  },
};
