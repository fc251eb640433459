// Scenes in links: the JSON text, deflated, in the fragment. Nothing of it goes to a server. A link holds a scene and a
// name, never a path or an address, so that it can read no file and reach no network.

const MOST_TEXT = 1 << 20; // bytes of JSON that a link may hold
const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

async function through(bytes, stream, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error("this link holds more than 1 MB of scene");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The fragment of a link, "#s=…". */
export async function toFragment(name, text) {
  const plain = JSON.stringify({ name, scene: JSON.parse(text) });
  const bytes = await through(new TextEncoder().encode(plain), new CompressionStream("deflate-raw"));
  return `#s=${toBase64(bytes)}`;
}

/** The scene of a fragment: { name, text }; null: it holds none. Throws an Error with a sentence for people. */
export async function fromFragment(fragment) {
  const named = /^#scene=([a-z0-9-]{1,40})$/.exec(fragment);
  if (named) return { name: named[1], text: null };
  const found = /^#s=(.*)$/s.exec(fragment);
  if (!found) return null;
  let plain;
  try {
    const code = found[1].replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
    plain = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw"), MOST_TEXT)));
  } catch (error) {
    const why = error.message.includes("1 MB") ? error.message : "this link is damaged or cut short";
    throw new Error(`${why}; copy it again, whole`);
  }
  if (typeof plain?.scene !== "object" || plain.scene === null) throw new Error("this link holds no scene; copy it again, whole");
  const name = typeof plain.name === "string" && /^[\w-]{1,40}$/.test(plain.name) ? plain.name : "shared";
  return { name, text: JSON.stringify(plain.scene, null, 2) };
}
