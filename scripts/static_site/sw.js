// Keeps the site in the visitor's browser: from the second visit on nothing of it is asked again, and it works offline.
// The build fills in what is kept, and a name that changes with any file: a new build replaces all of it at once.
const NAME = "__NAME__";
const KEPT = __KEPT__;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(KEPT)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const others = (names) => names.filter((name) => name.startsWith("sizing-") && name !== NAME);
  event.waitUntil(caches.keys().then((names) => Promise.all(others(names).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  event.respondWith((async () => {
    const cache = await caches.open(NAME);
    const address = request.url.split(/[?#]/)[0];
    const kept = await cache.match(address.endsWith("/") ? `${address}index.html` : address);
    // A browser refuses a navigation to an answer that the server had redirected: its contents alone are passed on.
    if (kept) return kept.redirected ? new Response(kept.body, { headers: kept.headers }) : kept;
    const answer = await fetch(request);
    if (answer.status === 200) event.waitUntil(cache.put(address, answer.clone()));
    return answer;
  })());
});
