// A value over time, drawn on a small canvas.
import { trim } from "./format.js";

const MOST = 600;

export class Plot {
  constructor(canvas) {
    this.canvas = canvas;
    this.clear();
  }

  clear() {
    this.points = [];
    this.draw();
  }

  add(time, value) {
    const { points } = this;
    if (points.length && time <= points[points.length - 1][0]) return;
    points.push([time, value]);
    if (points.length > MOST) this.points = points.filter((_, i) => i % 2 === 0 || i === points.length - 1);
    this.draw();
  }

  draw(label = this.label ?? "", unit = this.unit ?? ((value) => trim(value))) {
    Object.assign(this, { label, unit });
    const { canvas, points } = this, context = canvas.getContext("2d"), style = getComputedStyle(canvas);
    const { width, height } = canvas, left = 12, right = 12, top = 34, bottom = 26;
    context.clearRect(0, 0, width, height);
    context.font = "22px system-ui, sans-serif";
    context.fillStyle = context.strokeStyle = style.color;
    if (points.length < 2) return;
    const values = points.map(([, value]) => value).filter(Number.isFinite);
    const low = Math.min(...values), high = Math.max(...values, low + 1e-300);
    const from = points[0][0], to = points[points.length - 1][0];
    const x = (time) => left + ((time - from) / (to - from)) * (width - left - right);
    const y = (value) => height - bottom - ((value - low) / (high - low || 1)) * (height - top - bottom);
    context.globalAlpha = 0.7;
    context.fillText(unit(high), left, 24);
    context.fillText(unit(low), left, height - 4);
    context.textAlign = "right";
    context.fillText(`${trim(to)} s`, width - right, height - 4);
    context.textAlign = "left";
    context.globalAlpha = 1;
    context.strokeStyle = style.getPropertyValue("--accent");
    context.lineWidth = 3;
    context.beginPath();
    points.forEach(([time, value], i) => Number.isFinite(value) && (i ? context.lineTo(x(time), y(value)) : context.moveTo(x(time), y(value))));
    context.stroke();
  }
}
