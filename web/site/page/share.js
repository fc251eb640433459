// Links that hold a scene. The part of the address after "#" is never sent to a server:
//   #scene=NAME   a shipped scene
//   #s=DATA       the JSON text of a scene, deflated, in base64url
// "&paused" opens the scene without playing it. A link holds the text of a scene and nothing else: one that names files
// is refused, and the page's policy allows no address other than its own.
import { namedFiles } from "./named.js";

export const LONGEST_LINK = 48 * 1024; // characters of DATA
export const LARGEST_TEXT = 1024 * 1024; // bytes of the text

const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);

function toText(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromText(text) {
  if (!/^[\w-]*$/.test(text)) throw new Error();
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** Inflates bytes, and stops when there are too many. */
async function inflate(bytes) {
  const reader = through(bytes, new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LARGEST_TEXT) {
      reader.cancel().catch(() => {});
      throw new RangeError("The scene in this link is larger than 1 MB, the most that a link may hold.");
    }
    parts.push(value);
  }
  return new Blob(parts).arrayBuffer();
}

/** Parses the text of a scene. @param {string} text @param {string} what the text is from, for messages */
export function parseScene(text, what) {
  let scene;
  try {
    scene = JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not valid JSON: ${/** @type {Error} */ (error).message}.`);
  }
  if (scene === null || typeof scene !== "object" || Array.isArray(scene)) {
    throw new Error(`${what} is not a scene: a scene is a JSON object with "grid" and "solid".`);
  }
  return scene;
}

/** The fragment of a link to a scene's text. @param {string} text @returns {Promise<string>} */
export async function fragmentOf(text) {
  const scene = parseScene(text, "The scene");
  const files = namedFiles(scene);
  if (files.length > 0) {
    throw new Error(`This scene uses the file ${files[0]}, and a link holds text only. Download the checkpoint and send that instead.`);
  }
  const small = new TextEncoder().encode(JSON.stringify(scene));
  const packed = new Response(through(small, new CompressionStream("deflate-raw")));
  const data = toText(new Uint8Array(await packed.arrayBuffer()));
  if (small.length > LARGEST_TEXT || data.length > LONGEST_LINK) {
    throw new Error("This scene is too large for a link. Download the checkpoint and send that instead.");
  }
  return `s=${data}`;
}

/**
 * What a fragment asks for: a name, a text, or nothing. Throws a sentence for the user if the link is broken.
 * @param {string} fragment  with or without "#"
 * @returns {Promise<{name?: string, text?: string, paused: boolean}>}
 */
export async function readFragment(fragment) {
  const parts = fragment.replace(/^#/, "").split("&");
  const value = (key) => parts.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1);
  const paused = parts.includes("paused");
  const name = value("scene");
  if (name !== undefined) {
    if (!/^[a-z0-9-]{1,40}$/.test(name)) throw new Error("This link names no scene of the gallery.");
    return { name, paused };
  }
  const data = value("s");
  return data === undefined ? { paused } : { text: await textOf(data), paused };
}

async function textOf(data) {
  if (data.length > LONGEST_LINK) throw new Error("This link is too long to hold a scene.");
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await inflate(fromText(data)));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("This link is incomplete or damaged: the scene in it cannot be read. Ask for it again.");
  }
  const files = namedFiles(parseScene(text, "The scene in this link"));
  if (files.length > 0) throw new Error(`The scene in this link asks for the file ${files[0].slice(0, 80)}. Links cannot open files.`);
  return text;
}
