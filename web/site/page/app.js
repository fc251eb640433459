// The playground: joins the workers, the picture, the controls and the files. Opening scenes is in opening.js.
import { Controls } from "./controls.js";
import { changeIcon, element } from "./dom.js";
import { makeDownloads } from "./downloads.js";
import { THREADS } from "./early.js";
import { acceptFiles, requestOf } from "./files.js";
import * as format from "./format.js";
import { loadGallery, markScene } from "./gallery.js";
import { Hint } from "./hint.js";
import { listenToKeys, makeHelp } from "./keys.js";
import { Ledger } from "./ledger.js";
import { notify, sentence } from "./notices.js";
import { startOffline } from "./offline.js";
import { Opening } from "./opening.js";
import { Camera } from "./orbit.js";
import { Panel } from "./panel.js";
import { Plots } from "./plots.js";
import { Pointer } from "./pointer.js";
import { readFragment } from "./share.js";
import { copyLink, showLink } from "./sharing.js";
import { Stage } from "./stage.js";
import { Hand } from "./tools.js";
import { Workers } from "./workers.js";

const FIRST = "spill"; // the scene of a page without a link: one that opens quickly

class App {
  canvas = element("picture");
  playing = true;
  speed = 1;
  workers = new Workers(this.canvas, element("marks"));
  camera = new Camera((orbit) => this.workers.look(orbit));
  hand = new Hand((action) => this.act(action));
  hint = new Hint(this.canvas);
  controls = new Controls({
    hand: this.hand,
    chosen: (tool) => this.hint.tool(tool),
    camera: this.camera,
    act: (action) => this.act(action),
    overlay: (number) => this.workers.overlay(number),
    marks: (which) => this.workers.marks(which),
  });
  pointer = new Pointer({
    canvas: this.canvas,
    camera: this.camera,
    hand: this.hand,
    pick: (x, y) => this.workers.pick(x, y),
  });
  plots = new Plots();
  ledger = new Ledger();
  panel = new Panel();
  stage = new Stage(this.canvas, (width, height, over) => this.workers.resize(width, height, over));
  opening = new Opening(this.workers, this.stage, (scene, name) => this.#show(scene, name));
  #changed = false; // the user has acted on the scene since it was opened
  #asked = 0; // links and files that the user has asked for: the last one counts

  act(action) {
    if (!this.opening.current) return;
    this.#changed = true;
    this.workers.act(action);
  }

  #show(scene, name) {
    this.#changed = false;
    document.title = `${scene.title || name || "A scene"} · runnel`;
    element("title").textContent = scene.title || name;
    element("about-text").textContent = scene.about ?? "";
    element("about").hidden = !scene.about;
    markScene(name);
    this.camera.show(scene);
    this.controls.show(scene);
    this.plots.show(scene);
    this.workers.overlay(Number(this.controls.fields.overlay.list.value));
    this.#suitSpeed(scene.frame_time);
    this.setPlaying(this.playing);
    this.hint.show();
  }

  /** Scenes with long frames, such as floods, play faster: several frames a second. */
  #suitSpeed(frameTime) {
    const list = element("speed");
    const wanted = frameTime > 0.2 ? 15 * frameTime : 1;
    const fitting = [...list.options].find(({ value }) => Number(value) >= wanted) ?? list.options[list.options.length - 1];
    list.value = fitting.value;
    this.speed = Number(list.value);
  }

  /** Shows the numbers of a frame. */
  numbers({ numbers, probes, realTime }) {
    element("time").textContent = format.time(numbers.time);
    element("volume").textContent = format.volume(numbers.present);
    element("real").textContent = this.playing && realTime > 0 ? `${format.digits(realTime, 2)}×` : "–";
    this.ledger.show(numbers);
    this.plots.add({ numbers, probes, realTime });
    Object.assign(document.body.dataset, { frame: String(numbers.frame), present: String(numbers.present), poured: String(numbers.poured) });
  }

  setPlaying(playing) {
    this.playing = playing;
    this.workers.play(playing, this.speed);
    element("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    changeIcon(element("play"), playing ? "pause" : "play");
  }

  togglePlay() {
    this.setPlaying(!this.playing);
  }

  step() {
    this.setPlaying(false);
    this.workers.step();
  }

  /** @param {number} by  places in the list of speeds */
  changeSpeed(by) {
    const list = element("speed");
    list.selectedIndex = Math.min(Math.max(list.selectedIndex + by, 0), list.options.length - 1);
    this.speed = Number(list.value);
    this.workers.play(this.playing, this.speed);
  }

  restart() {
    void this.opening.again();
  }

  /** Begins or ends the use of the tool in the middle of the picture. */
  useTool() {
    const ends = this.pointer.working; // a short use goes on for a moment
    if (ends) this.pointer.end();
    else this.pointer.begin(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
    element("aim").hidden = ends;
  }

  toggleRain() {
    const { rain } = this.controls.fields;
    rain.set(rain.value() > 0 ? 0 : 0.75);
    rain.input.dispatchEvent(new Event("input"));
  }

  togglePanel() {
    this.panel.toggle();
  }

  showGallery() {
    element("gallery").showModal();
  }

  share() {
    return showLink(this.workers, this.#changed ? null : (this.opening.current?.name ?? null));
  }

  /** @param {File[]} files */
  async openFiles(files) {
    const number = ++this.#asked;
    try {
      this.stage.busy(`Reading ${files[0].name}…`);
      const { request, title } = await requestOf(files);
      if (number !== this.#asked) return;
      history.replaceState(null, "", location.pathname);
      await this.opening.open(request, { title });
    } catch (error) {
      if (!this.opening.busy) this.stage.idle();
      notify(sentence(error), { error: true });
    }
  }

  /** Opens what the address asks for, or the first scene if there is none yet. */
  async openAddress() {
    const number = ++this.#asked;
    try {
      const { name, text, paused } = await readFragment(location.hash);
      if (number !== this.#asked) return;
      if (paused) this.setPlaying(false); // before the worker opens the scene, so that it begins at frame 0
      if (name) await this.opening.byName(name);
      else if (text) await this.opening.open({ text, files: [] }, { title: "A shared scene" });
    } catch (error) {
      if (!this.opening.busy) this.stage.idle();
      notify(sentence(error), { error: true });
    }
    if (number === this.#asked && !this.opening.current) await this.opening.byName(FIRST);
  }

  chooseScene(name) {
    history.pushState(null, "", `#scene=${name}`);
    void this.openAddress();
  }

  listen() {
    const { workers } = this;
    workers.on("numbers", (message) => this.numbers(message));
    workers.on("changed", ({ scene }) => this.controls.showLiquid(scene));
    workers.on("notice", ({ text, error }) => notify(text, { error }));
    workers.on("failed", ({ text }) => {
      this.stage.idle();
      notify(text, { error: true });
    });
    workers.on("paused", () => this.setPlaying(false));
    workers.on("dead", ({ text }) => {
      this.playing = false;
      this.opening.stop(`The simulation has failed: ${text}. The scene is back at its start.`);
    });
    workers.on("stopped", ({ text }) => {
      this.stage.idle();
      notify(`The simulation has stopped: ${text}. Reload the page to go on.`, { error: true });
    });
    workers.on("preview", ({ scene }) => this.camera.show(scene));
    workers.on("drawn", ({ scene, frame, liquid, draft, milliseconds }) => {
      if (!draft && this.stage.shows(scene)) document.body.dataset.drawn = String(frame);
      this.stage.drawn(milliseconds, { scene, preview: frame < 0, liquid, draft });
    });
    workers.on("ready", ({ threads }) => {
      element("threads").textContent = `The simulation uses ${threads === 1 ? "1 thread" : `${threads} threads`}.`;
    });
    const clicks = {
      play: () => this.togglePlay(),
      step: () => this.step(),
      restart: () => this.restart(),
      share: () => this.share(),
      copy: copyLink,
      choose: () => this.showGallery(),
      fold: () => this.togglePanel(),
      help: () => element("keys").showModal(),
    };
    for (const [id, act] of Object.entries(clicks)) element(id).addEventListener("click", act);
    element("speed").addEventListener("change", () => this.changeSpeed(0));
    addEventListener("hashchange", () => void this.openAddress());
    this.canvas.addEventListener("blur", () => (element("aim").hidden = true));
    acceptFiles((files) => void this.openFiles(files));
    listenToKeys(this);
    makeHelp();
    makeDownloads(workers, [this.canvas, element("marks")], () => this.opening.fileName);
  }
}

/** Starts the page, or says in a sentence why it cannot work. */
async function start() {
  const missing = [
    [typeof WebAssembly !== "object", "WebAssembly"],
    [typeof OffscreenCanvas !== "function", "drawing in a worker (OffscreenCanvas)"],
    [typeof DecompressionStream !== "function", "compression streams"],
  ].filter(([lacks]) => lacks);
  if (missing.length > 0) {
    element("busy-text").textContent = `This browser lacks ${missing[0][1]}, which the playground needs. A newer one will work.`;
    return;
  }
  const app = new App();
  Object.assign(globalThis, { runnelPage: app }); // for tests and for the console
  app.listen();
  app.workers.start(THREADS);
  loadGallery((name) => app.chooseScene(name)).then(
    () => markScene(app.opening.current?.name ?? null),
    (error) => notify(sentence(error), { error: true }),
  );
  await app.openAddress();
  startOffline();
}

start().catch((error) => {
  element("busy-text").textContent = `The playground could not start: ${sentence(error)}`;
});
