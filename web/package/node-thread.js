// A thread of node that looks like a worker of a browser to the script that it runs (node-worker.js).
import { parentPort, workerData } from "node:worker_threads";

const waiting = []; // messages that come before the script listens
Object.assign(globalThis, {
  self: globalThis,
  location: { href: workerData },
  importScripts: () => {
    throw new Error("importScripts is not available in node");
  },
  postMessage: (message, transfer) => parentPort.postMessage(message, transfer),
  onmessage: null,
});
parentPort.on("message", (data) => {
  if (globalThis.onmessage) globalThis.onmessage({ data });
  else waiting.push(data);
});
await import(workerData);
for (const data of waiting.splice(0)) globalThis.onmessage({ data });
