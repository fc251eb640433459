// Serves the site from a cache, so that it works without a connection. web/list-site.mjs writes sw-files.js:
// VERSION (a hash of all files), SHELL (files of the first page) and REST (scenes, posters, readers of files, and the module of one thread).
/* global VERSION, SHELL, REST */
importScripts("sw-files.js");

const NAME = `runnel-${VERSION}`;

/** Keeps the first page, from the server and not from the browser's own cache, whose files may be of another version. A new
    version waits until the pages of the old one are closed. */
async function keepShell() {
  const cache = await caches.open(NAME);
  await cache.addAll(SHELL.map((file) => new Request(file, { cache: "reload" })));
  if (!self.registration.active) await self.skipWaiting();
}

self.addEventListener("install", (event) => {
  event.waitUntil(keepShell());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith("runnel-") && name !== NAME).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

/** Keeps the rest, one file after another; a file that fails is tried again with the next page. */
async function keepRest() {
  const cache = await caches.open(NAME);
  for (const file of REST) {
    if (await cache.match(file)) continue;
    await cache.add(new Request(file, { cache: "reload" })).catch(() => {});
  }
}

self.addEventListener("message", (event) => {
  if (event.data === "rest") event.waitUntil(keepRest());
});

/** Adds the headers that make a page cross-origin isolated, for servers that do not send them. */
function isolated(response) {
  if (response.status !== 200 || response.headers.has("Cross-Origin-Embedder-Policy")) return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

async function answer(request) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return isolated(kept);
  return isolated(await fetch(request));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});
