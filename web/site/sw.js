// Keeps the page and its scenes, so that it works without a network. FILES and VERSION are written by web/make-site.
const VERSION = "@VERSION@", FILES = ["@FILES@"];

addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(VERSION);
    await cache.addAll(FILES);
    await skipWaiting();
  })());
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
    await clients.claim();
  })());
});

// What the page had loaded before this worker could see it.
addEventListener("message", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(VERSION), kept = new Set((await cache.keys()).map(({ url }) => url));
    await Promise.all(event.data.filter((url) => url.startsWith(location.origin) && !kept.has(url)).map((url) => cache.add(url).catch(() => {})));
  })());
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const kept = await caches.match(event.request, { ignoreSearch: true });
    if (kept) return kept;
    const answer = await fetch(event.request);
    if (answer.ok && answer.type === "basic") (await caches.open(VERSION)).put(event.request, answer.clone());
    return answer;
  })());
});
