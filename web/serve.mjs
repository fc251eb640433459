// Serves folders on localhost with the headers that the playground needs: cross-origin isolation, for threads, and a
// Content-Security-Policy. A file is looked for in each folder in turn.
// usage: node web/serve.mjs [--port N] FOLDER...
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { constants, brotliCompress } from "node:zlib";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
};

/** The same policy as in index.html, and frame-ancestors, which only a header can set. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

const brotli = promisify(brotliCompress);
const SMALLER = new Set([".css", ".html", ".js", ".json", ".mjs", ".ply", ".svg", ".wasm", ".webmanifest"]);
const packed = new Map(); // compressed files: path to {time, bytes}

/** The bytes of a file, compressed if the browser takes that and it helps. Returns {bytes, encoding}. */
async function contentOf({ file, time }, accepted) {
  if (!SMALLER.has(extname(file)) || !/\bbr\b/.test(accepted)) return { bytes: await readFile(file), encoding: {} };
  if (packed.get(file)?.time !== time) {
    const bytes = await brotli(await readFile(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } });
    packed.set(file, { time, bytes });
  }
  return { bytes: packed.get(file).bytes, encoding: { "Content-Encoding": "br" } };
}

/** Finds a file in the first folder that has it; null: in none. */
async function find(folders, path) {
  for (const folder of folders) {
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const found = await stat(file).catch(() => null);
    if (found?.isFile()) return { file, time: found.mtimeMs };
  }
  return null;
}

/** Answers one request. */
async function answer(folders, request, response) {
  let path = "/";
  try {
    path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
  } catch {
    // A malformed address: answered as the page itself.
  }
  const found = ["GET", "HEAD"].includes(request.method) && !path.includes("..") ? await find(folders, path) : null;
  if (!found) {
    response.writeHead(404, { ...HEADERS, "Content-Type": "text/plain" });
    response.end("There is no such file.\n");
    return;
  }
  const type = TYPES[extname(found.file)] ?? "application/octet-stream";
  const { bytes, encoding } = await contentOf(found, request.headers["accept-encoding"] ?? "");
  response.writeHead(200, { ...HEADERS, ...encoding, "Content-Type": type, "Content-Length": bytes.length, Vary: "Accept-Encoding" });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/** Starts a server of these folders on localhost. port 0: any free one. Returns {url, close}. */
export async function serve(folders, port = 0) {
  const server = createServer((request, response) => {
    answer(folders, request, response).catch(() => response.destroy()); // the file went away, or the browser did
  });
  await new Promise((done, failed) => server.once("error", failed).listen(port, "127.0.0.1", done));
  const close = () => new Promise((done) => (server.close(done), server.closeAllConnections()));
  return { url: `http://localhost:${server.address().port}/`, close };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const words = process.argv.slice(2);
  const at = words.indexOf("--port");
  const port = at >= 0 ? Number(words.splice(at, 2)[1]) : 8080;
  if (words.length === 0 || !Number.isInteger(port)) {
    console.error("usage: node web/serve.mjs [--port N] FOLDER...");
    process.exit(2);
  }
  try {
    console.log(`The playground is at ${(await serve(words, port)).url} (Ctrl-C ends)`);
  } catch (error) {
    console.error(`web/serve.mjs: port ${port} cannot be used (${error.code}); give another one with --port`);
    process.exit(1);
  }
}
