// The panel folds away; on a phone it is a sheet over the picture, folded at first.
import { element } from "./dom.js";

const KEY = "runnel-panel";
const narrow = matchMedia("(max-width: 760px)");

export class Panel {
  #open = narrow.matches ? false : localStorage.getItem(KEY) !== "folded";

  constructor() {
    this.#show();
    narrow.addEventListener("change", () => {
      this.#open = !narrow.matches;
      this.#show();
    });
    document.querySelector(".skip").addEventListener("click", () => {
      this.#open = true;
      this.#show();
    });
  }

  toggle() {
    this.#open = !this.#open;
    if (!narrow.matches) localStorage.setItem(KEY, this.#open ? "open" : "folded");
    this.#show();
  }

  #show() {
    document.body.classList.toggle("folded", !this.#open);
    element("panel").inert = !this.#open;
    element("fold").setAttribute("aria-expanded", String(this.#open));
  }
}
