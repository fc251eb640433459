// Compiles a WebAssembly file, while it is still being loaded where the platform can do that.

/** @param {URL} url of the file @returns {Promise<WebAssembly.Module>} */
export async function compile(url) {
  if (url.protocol === "file:") {
    const name = "node:fs/promises";
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ name);
    return WebAssembly.compile(await readFile(url));
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  const typed = answer.headers.get("Content-Type")?.startsWith("application/wasm"); // others are refused by compileStreaming
  return typed ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

/** Runs a factory of emscripten with a compiled module. @param {WebAssembly.Module} compiled */
export function instantiate(factory, compiled, options = {}) {
  return new Promise((done, failed) => {
    const instantiateWasm = (imports, receive) => {
      WebAssembly.instantiate(compiled, imports).then((instance) => receive(instance, compiled), failed);
      return {}; // the exports follow
    };
    factory({ ...options, instantiateWasm }).then(done, failed);
  });
}
