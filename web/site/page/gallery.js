// The gallery: all shipped scenes with their posters.
import { element, make } from "./dom.js";

/** @type {Map<string, string>} names of shipped scenes to their titles */
export const titles = new Map();

/** Loads the list of scenes. @param {(name: string) => void} choose is called with the scene that the user picks */
export async function loadGallery(choose) {
  const answer = await fetch("gallery.json");
  if (!answer.ok) throw new Error(`the list of scenes could not be loaded (${answer.status})`);
  const groups = await answer.json();
  for (const { scenes } of groups) for (const { name, title } of scenes) titles.set(name, title);
  element("gallery-list").replaceChildren(...groups.map((group) => groupOf(group, choose)));
}

function groupOf({ group, scenes }, choose) {
  const cards = scenes.map(({ name, title }) => make("li", {}, cardOf(name, title, choose)));
  return make("section", {}, make("h3", {}, group), make("ul", { class: "cards" }, ...cards));
}

function cardOf(name, title, choose) {
  const picture = make("img", { src: `posters/${name}.webp`, alt: "", width: 320, height: 180, loading: "lazy", decoding: "async" });
  const card = make("button", { type: "button", class: "card" }, picture, make("span", {}, title));
  card.dataset.scene = name;
  card.addEventListener("click", () => {
    element("gallery").close();
    choose(name);
  });
  return card;
}

/** Marks the scene that is open. @param {string | null} name */
export function markScene(name) {
  for (const card of document.querySelectorAll(".card")) {
    if (card.dataset.scene === name) card.setAttribute("aria-current", "true");
    else card.removeAttribute("aria-current");
  }
}
