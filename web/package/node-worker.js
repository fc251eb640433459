// Threads in node: what the module of several threads expects of a browser's Worker, made of node's worker_threads.
import { Worker } from "node:worker_threads";

export class NodeWorker {
  onmessage = null;
  onerror = null;
  #worker;

  /** Runs a script of the module in a thread. @param {string} url */
  constructor(url) {
    this.#worker = new Worker(new URL("./node-thread.js", import.meta.url), { workerData: String(url) });
    this.#worker.on("message", (data) => {
      if (data.cmd === "loaded") this.#worker.unref(); // a thread that waits does not keep node running
      this.onmessage?.({ data });
    });
    this.#worker.on("error", (error) => this.onerror?.({ message: error.message, filename: url, lineno: 0 }));
  }

  postMessage(message, transfer) {
    this.#worker.postMessage(message, transfer);
  }

  terminate() {
    void this.#worker.terminate();
  }
}
