// Serves a folder on localhost with the headers that threads need.   node serve.mjs FOLDER [PORT]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const types = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript",
  ".wasm": "application/wasm", ".json": "application/json", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml",
  ".webp": "image/webp", ".png": "image/png" };

/** Starts a server; isolated: with the headers that allow threads. Resolves to { url, sent, close }; sent counts bytes. */
export function serve(folder, { port = 0, isolated = true } = {}) {
  const root = resolve(folder), packed = new Map(), told = { sent: 0 };
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(root, path.endsWith("/") ? `${path}index.html` : path);
    const headers = { "Content-Type": types[extname(file)] ?? "application/octet-stream", "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };
    if (isolated) Object.assign(headers, { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" });
    try {
      if (!file.startsWith(root)) throw new Error("outside");
      if (!packed.has(file)) {
        const body = await readFile(file);
        packed.set(file, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      }
      const body = packed.get(file);
      told.sent += body.length;
      response.writeHead(200, { ...headers, "Content-Encoding": "br" }).end(body);
    } catch {
      response.writeHead(404, headers).end(brotliCompressSync("not found"));
    }
  });
  return new Promise((done) => server.listen(port, "127.0.0.1", () =>
    done({ url: `http://localhost:${server.address().port}/`, told, close: () => server.close() })));
}

if (process.argv[1]?.endsWith("serve.mjs")) {
  const { url } = await serve(process.argv[2], { port: Number(process.argv[3] ?? 8080) });
  console.log(`the playground is at ${url}`);
}
