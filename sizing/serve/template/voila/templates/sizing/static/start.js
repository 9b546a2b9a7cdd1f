// Before anything is seen: the theme that the address asks for, or else the system's.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const asked = new URLSearchParams(location.search).get("theme");
    const theme = asked === "dark" || asked === "light" ? asked : system.matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
  };
  apply();
  system.addEventListener("change", apply);
  globalThis.voila_heartbeat = globalThis.voila_process = globalThis.voila_finish = () => {};
})();
