// The dialog that shows a link to the scene.
import { element } from "./dom.js";
import { notify, sentence } from "./notices.js";
import { fragmentOf } from "./share.js";

/**
 * Shows a link to the scene that is open.
 * @param {import("./workers.js").Workers} workers
 * @param {string | null} name  of a shipped scene that was not changed: a short link
 */
export async function showLink(workers, name) {
  try {
    const fragment = name ? `scene=${name}` : await fragmentOf(await workers.get("text"));
    element("link-text").value = `${location.origin}${location.pathname}#${fragment}`;
    element("link").showModal();
    element("link-text").select();
  } catch (error) {
    notify(sentence(error), { error: true });
  }
}

/** Copies the link that is shown. */
export async function copyLink() {
  try {
    await navigator.clipboard.writeText(element("link-text").value);
    element("link").close();
    notify("The link is copied.");
  } catch {
    element("link-text").select();
    notify("The browser does not allow copying; copy the marked text by hand.");
  }
}
