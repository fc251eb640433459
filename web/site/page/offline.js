// The service worker keeps the site for use without a connection (sw.js). It first keeps what the page has loaded; the
// rest follows once the first scene runs.

/** Registers the service worker, and lets it fetch the rest. */
export async function startOffline() {
  if (!("serviceWorker" in navigator) || !document.head.dataset.built) return;
  try {
    await navigator.serviceWorker.register("sw.js", { updateViaCache: "none" });
    const registration = await navigator.serviceWorker.ready;
    setTimeout(() => registration.active?.postMessage("rest"), 3000);
  } catch {
    // Private windows and old browsers have none: the page works, but only with a connection.
  }
}
