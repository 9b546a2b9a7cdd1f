// What several widgets need. Each widget's script is sent by itself: `sizing.ui.widgets` puts this text where a script
// imports it.

// An element. Properties by their name, anything else as an attribute; nothing for what is undefined or null.
export const node = (tag, props = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key in made && key !== "list" && key !== "role") made[key] = value;
    else if (value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
};

export const button = (text, act, props = {}) => {
  const made = node("button", { type: "button", className: "sizing-button", ...props }, text);
  made.addEventListener("click", act);
  return made;
};

// Show now, and whenever one of these traits changes.
export const watch = (model, traits, show) => {
  show();
  for (const trait of traits) model.on(`change:${trait}`, show);
};

// Figures that are older than the last change say so, after a second and a half without an answer.
const BEHIND_MS = 1500;
const behind = (yes) => {
  const results = document.querySelector(".sizing-results");
  if (!results) return;
  results.classList.toggle("sizing-behind", yes);
  results.setAttribute("aria-busy", String(yes));
};

// One message travels at a time, until the kernel has answered it. next() gives the newest to send, null for none.
export const courier = (model, patience_ms, next) => {
  let underway = null; // number of the message that is being answered
  let count = 0;
  let timer = 0;
  let late = 0;
  const send = () => {
    const message = underway === null ? next() : null;
    if (!message) return;
    underway = ++count;
    clearTimeout(late);
    late = setTimeout(behind, BEHIND_MS, true);
    try {
      model.send({ ...message, seq: underway });
    } catch {
      // a connection that is closed for good: the figures stay marked as behind
    }
    // An answer that is lost (a kernel restarted) must not block the form for good.
    timer = setTimeout(() => { underway = null; send(); }, patience_ms);
  };
  model.on("msg:custom", (message) => {
    if (message?.kind !== "done") return;
    if (message.seq === count) {
      clearTimeout(late);
      behind(false);
    }
    if (message.seq !== underway) return;
    clearTimeout(timer);
    underway = null;
    send();
  });
  return send;
};

// On a phone the inputs fold away above the answer; the style sheet shows this button there only.
export const foldButton = (el, text) => {
  const fold = button(text, () => fold.setAttribute("aria-expanded", String(el.classList.toggle("sizing-open"))),
    { className: "sizing-button sizing-fold", "aria-expanded": "false" });
  return fold;
};

// What is wrong, said aloud; hidden while it is empty.
export const alert = (className = "sizing-error") => node("p", { className, role: "alert", hidden: true });
export const tell = (place, text) => { place.textContent = text; place.hidden = !text; };

// What this tab keeps over a reload; null where it keeps nothing, or what it kept is damaged.
export const kept = (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } };
export const keep = (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* full or forbidden */ } };

// A text to the clipboard; where there is none (an address without encryption) it is marked, ready for the keyboard.
export const copied = async (text, mark) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    mark();
    return false;
  }
};

// The kernel hands over a file: { kind: "file", name, type, text? } and its bytes.
export const saveFiles = (model) => model.on("msg:custom", (message, buffers) => {
  if (message?.kind !== "file") return;
  const address = URL.createObjectURL(new Blob([message.text ?? buffers[0]], { type: message.type }));
  const link = node("a", { href: address, download: message.name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
});
