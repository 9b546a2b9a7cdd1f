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

// ---- Room. A figure does not know how wide it is drawn: what its labels need is found here, in pixels. ----

const ink = document.createElement("canvas").getContext("2d");
const BETWEEN = 6; // between two labels, and between a label and the edge [px]
const FONT = "sans-serif";
const LEAST_BARS = 0.4; // of an axis; a label that leaves its bar less goes on a second line

function lineWidth(line, size, family) {
  let width = 0;
  for (const part of line.split(/(<b>.*?<\/b>)/)) {
    ink.font = `${part.startsWith("<b>") ? "bold " : ""}${size}px ${family}`;
    width += ink.measureText(part.replace(/<[^>]*>/g, "")).width;
  }
  return width;
}

const textWidth = (text, size, family) =>
  Math.max(...String(text).split(/<br ?\/?>/).map((line) => lineWidth(line, size, family)));

// Words onto as many lines as the width asks for. Text with lines of its own keeps them.
function wrapped(text, size, family, width) {
  if (/<br|<b>/.test(text)) return text;
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (lines.at(-1) && textWidth(longer, size, family) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join("<br>");
}

// An end that stays while a slider moves a little; see marks.steady.
function steady(most, ends) {
  const power = 10 ** Math.floor(Math.log10(most));
  return ends ? ends.find((end) => most <= end * power * (1 + 1e-9)) * power : most;
}

// Before drawing, for an axis as long as the last time: how far it must reach for the labels right of its bars, and
// which of the bars' own labels, from long to short, has room in its bar.
// layout.meta.reach: where the axis may end at the least, at one of its ends times a power of ten if it has any.   trace.meta: each bar's shorter label.
// True where there was something to fit.
function fitBars({ data, layout }, length) {
  const labelled = data.filter((trace) => trace.type === "bar" && Array.isArray(trace.meta));
  if (layout.meta?.reach === undefined && !labelled.length) return false;
  if (!length) return true;
  const family = layout.font?.family ?? FONT;
  const [low] = layout.xaxis.range;
  const reach = layout.meta?.reach;
  if (reach !== undefined) {
    const places = (layout.annotations ?? []).filter((label) => label.xref !== "paper" && label.yref !== "paper" && label.xanchor === "left");
    const needed = (label) => textWidth(label.text, label.font?.size ?? 12, family) + (label.xshift ?? 0) + 4;
    const rows = new Set(data.flatMap((trace) => trace.y)).size;
    const twoLines = (layout.height - layout.margin.t - layout.margin.b) / rows > 27;
    for (const label of twoLines ? places : []) {
      if (length - needed(label) < LEAST_BARS * length) label.text = label.text.replace(/( · |: )(?!.*<\/b>)/, (sign) => `${sign.trimEnd().replace("·", "")}<br>`);
    }
    const ends = places.map((label) => low + ((label.x - low) * length) / Math.max(length - needed(label), 0.12 * length));
    layout.xaxis.range = [low, steady(Math.max(reach, ...ends), layout.meta.ends)];
  }
  const perUnit = length / (layout.xaxis.range[1] - low);
  for (const trace of labelled) {
    trace.text = trace.text.map((text, index) => {
      const room = Math.abs(trace.x[index]) * perUnit - 4;
      return [text, trace.meta[index]].find((label) => textWidth(label, trace.textfont?.size ?? 12, family) <= room) ?? "";
    });
  }
  return true;
}

// After drawing: texts that the edge of the chart would cut, and ticks that run into each other. True where one was moved.
function fitEdges({ data, layout }, plot, width) {
  const full = plot._fullLayout;
  const axis = full?.xaxis;
  if (!axis?._length) return false;
  const family = layout.font?.family ?? FONT;
  const left = full._size.l;
  let moved = false;
  for (const label of layout.annotations ?? []) {
    if (label.showarrow !== false) continue;
    const size = label.font?.size ?? layout.font?.size ?? 12;
    if (textWidth(label.text, size, family) > width - 2 * BETWEEN) {
      const text = wrapped(label.text, size, family, width - 2 * BETWEEN);
      moved ||= text !== label.text;
      label.text = text;
    }
    const wide = textWidth(label.text, size, family);
    const at = left + (label.xref === "paper" ? label.x * axis._length : axis.r2p(label.x));
    const anchor = label.xanchor && label.xanchor !== "auto" ? label.xanchor : "center";
    const from = at + (label.xshift ?? 0) - (anchor === "right" ? wide : anchor === "center" ? wide / 2 : 0);
    const push = from < 2 ? 2 - from : from + wide > width - 2 ? Math.max(width - 2 - from - wide, 2 - from) : 0;
    if (Math.abs(push) > 0.5) {
      label.xshift = (label.xshift ?? 0) + push;
      moved = true;
    }
  }
  // A point's own text is cut where the axes end.
  for (const trace of data) {
    if (trace.type !== "scatter" || !trace.mode?.includes("text") || typeof trace.textposition !== "string") continue;
    const ends = trace.x.map((x, index) => axis.d2p(x) + 8 + textWidth(trace.text[index], trace.textfont?.size ?? 12, family));
    const tops = trace.y.map((y) => full.yaxis.d2p(y) - 8 - (trace.textfont?.size ?? 12));
    let place = trace.textposition;
    if (place.endsWith("right") && ends.some((end) => end > axis._length)) place = place.replace("right", "left");
    if (place.startsWith("top") && tops.some((top) => top < 0)) place = place.replace("top", "bottom");
    moved ||= place !== trace.textposition;
    trace.textposition = place;
  }
  const { tickvals, ticktext } = layout.xaxis ?? {};
  if (tickvals && axis.tickangle !== 90) {
    const size = layout.xaxis.tickfont?.size ?? layout.font?.size ?? 12;
    let free = -Infinity;
    const kept = tickvals.map((value, index) => {
      const at = axis.d2p(value);
      if (at < -1 || at > axis._length + 1) return true;
      const half = textWidth(ticktext?.[index] ?? value, size, family) / 2;
      if (at - half < free) return false;
      free = at + half + BETWEEN;
      return true;
    });
    if (kept.includes(false)) {
      layout.xaxis.tickvals = tickvals.filter((_, index) => kept[index]);
      if (ticktext) layout.xaxis.ticktext = ticktext.filter((_, index) => kept[index]);
      moved = true;
    }
  }
  for (const [which, from, end, long] of [["xaxis", left, width, axis._length], ["yaxis", full._size.t, layout.height, full.yaxis._length]]) {
    const text = layout[which]?.title?.text;
    if (!text) continue;
    const size = full[which].title.font.size;
    const room = 2 * Math.min(from + long / 2, end - from - long / 2) - 4;
    const made = textWidth(text, size, family) > room ? wrapped(text, size, family, room) : text;
    if (made === text) continue;
    layout[which].title.text = made;
    const more = (made.split("<br>").length - 1) * size * 1.3;
    if (which === "xaxis") layout.margin.b += more;
    else if (!layout.yaxis.automargin) layout.margin.l += more;
    moved = true;
  }
  return moved;
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
    let length = 0; // of the axis across, the last time

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
          const made = () => ({
            data: coloured(model.get("figure_data"), styles),
            layout: { ...coloured(model.get("figure_layout"), styles), width, height: model.get("height") },
          });
          const react = async (figure) => {
            await Plotly.react(plot, figure.data, figure.layout, CONFIG);
            return plot._fullLayout?.xaxis?._length ?? 0;
          };
          let figure = made();
          const before = length;
          const asked = fitBars(figure, length);
          length = await react(figure);
          if (asked && Math.abs(length - before) > 1) {
            figure = made();
            fitBars(figure, length);
            length = await react(figure);
          }
          const copy = { data: figure.data.map((trace) => ({ ...trace })), layout: structuredClone(figure.layout) };
          if (fitEdges(copy, plot, width)) await react(copy);
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
