// The files that a scene names. The page and the worker that simulates both use it.

const KEYS = new Set(["file", "cache", "raster", "texture"]);
const DEEPEST = 64;

/** Names of files in a scene, each once. @param {unknown} scene @returns {string[]} */
export function namedFiles(scene) {
  const found = new Set();
  const visit = (value, depth) => {
    if (depth > DEEPEST) throw new Error(`The scene is nested more than ${DEEPEST} levels deep.`);
    if (value === null || typeof value !== "object") return;
    for (const [key, inner] of Object.entries(value)) {
      if (KEYS.has(key) && typeof inner === "string" && inner !== "") found.add(inner);
      else visit(inner, depth + 1);
    }
  };
  visit(scene, 0);
  return [...found];
}
