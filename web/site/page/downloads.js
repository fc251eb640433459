// Files that the user takes away: meshes, checkpoint, scene, picture and film.
import { element, icon, make } from "./dom.js";
import { Film } from "./film.js";
import { notify, sentence } from "./notices.js";

/** Saves bytes as a file. @param {BlobPart} content @param {string} name */
export function save(content, name) {
  const blob = content instanceof Blob ? content : new Blob([content]);
  const url = URL.createObjectURL(blob);
  const link = make("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

const KINDS = [
  { what: "ply", title: "PLY", help: "Meshes of liquid, ground and bodies (PLY)" },
  { what: "glb", title: "glTF", help: "Meshes of liquid, ground and bodies (binary glTF)" },
  { what: "checkpoint", title: "Checkpoint", help: "The whole state, to go on with later (.rnl)" },
  { what: "text", title: "Scene", help: "The scene with your changes (JSON)" },
  { what: "picture", title: "Picture", help: "The picture as it is now (PNG)" },
];

const single = { checkpoint: "rnl", text: "json", picture: "png" };

/**
 * Makes the buttons.
 * @param {import("./workers.js").Workers} workers
 * @param {HTMLCanvasElement[]} canvases  of a film, each over the one before
 * @param {() => string} nameOf  the name of the scene, for file names
 */
export function makeDownloads(workers, canvases, nameOf) {
  for (const { what, title, help } of KINDS) {
    const button = make("button", { type: "button", class: "quiet", title: help }, icon("save"), make("span", {}, title));
    button.addEventListener("click", () => void take(button, what));
    element("downloads").append(button);
  }
  addFilm(workers, canvases, nameOf);

  async function take(button, what) {
    button.disabled = true;
    try {
      const value = what === "picture" ? await workers.grab() : await workers.get(what);
      if (!Array.isArray(value)) save(value, `${nameOf()}.${single[what] ?? what}`);
      else for (const { name, bytes } of value) save(bytes, `${nameOf()}-${name}`);
    } catch (error) {
      notify(sentence(error), { error: true });
    } finally {
      button.disabled = false;
    }
  }
}

function addFilm(workers, canvases, nameOf) {
  if (!Film.possible(canvases[0])) return;
  const label = make("span", {}, "Film");
  const button = make("button", { type: "button", class: "quiet film", title: "Record a film (F8)", id: "film", "aria-pressed": "false" });
  button.append(make("i", { class: "record", "aria-hidden": "true" }), label);
  const film = new Film(canvases, (seconds) => {
    label.textContent = `End film (${seconds} s)`;
  });
  workers.on("drawn", () => film.running && film.add());
  button.addEventListener("click", async () => {
    if (!film.running) film.start();
    else {
      const { blob, ending } = await film.end();
      if (blob.size > 0) save(blob, `${nameOf()}.${ending}`);
      else notify("The film is empty: nothing was drawn while it was recorded.", { error: true });
      label.textContent = "Film";
    }
    button.setAttribute("aria-pressed", String(film.running));
  });
  element("downloads").append(button);
}
