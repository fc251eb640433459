// The panel folds away; on a phone it is a sheet over the picture, folded at first.
import { element } from "./dom.js";

const KEY = "runnel-panel";
const narrow = matchMedia("(max-width: 760px)");

/** Whether the user has folded the panel. A browser that blocks storage remembers nothing. */
function wasFolded() {
  try {
    return localStorage.getItem(KEY) === "folded";
  } catch {
    return false;
  }
}

function remember(open) {
  try {
    localStorage.setItem(KEY, open ? "open" : "folded");
  } catch {
    // Storage is blocked.
  }
}

export class Panel {
  #open = !narrow.matches && !wasFolded();

  constructor() {
    this.#show();
    narrow.addEventListener("change", () => {
      this.#open = !narrow.matches;
      this.#show();
    });
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault(); // the address keeps its scene
      this.#open = true;
      this.#show();
      element("panel").focus();
    });
  }

  toggle() {
    this.#open = !this.#open;
    if (!narrow.matches) remember(this.#open);
    this.#show();
  }

  #show() {
    document.body.classList.toggle("folded", !this.#open);
    element("panel").inert = !this.#open;
    element("fold").setAttribute("aria-expanded", String(this.#open));
  }
}
