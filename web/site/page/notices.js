// Messages at the edge of the picture. A screen reader reads them out.
import { element, icon, make } from "./dom.js";

const MOST = 3; // at a time
const LASTS = 7000; // ms, of a message that is not an error

/**
 * Shows a message. An error stays until it is closed; other messages go after a while.
 * @param {string} text
 * @param {{error?: boolean}} [options]
 */
export function notify(text, { error = false } = {}) {
  const list = element("notices");
  const same = [...list.children].find((one) => one.dataset.text === text);
  same?.remove();
  const close = make("button", { type: "button", class: "quiet bare", "aria-label": "Close the message" }, icon("close"));
  const made = make("div", { class: error ? "notice bad" : "notice" }, make("p", {}, text), close);
  made.dataset.text = text;
  close.addEventListener("click", () => made.remove());
  list.append(made);
  while (list.children.length > MOST) list.firstElementChild.remove();
  if (!error) setTimeout(() => made.remove(), LASTS);
}

/** The sentence of an error. @param {unknown} error */
export const sentence = (error) => (error instanceof Error ? error.message : String(error));
