// Numbers as people read them, with units. All values that come in are in SI units.

/** A number with this many significant digits, without an exponent where possible. */
export function digits(value, count = 3) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e10) return grouped(value, count);
  if (size >= 1e10 || size < 1e-4) return value.toExponential(Math.max(0, count - 2)).replace("e+", "e").replace("-", "−");
  const places = Math.max(0, count - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(places, 8)).replace("-", "−");
}

/** A large number, rounded to so many digits, with thin spaces between thousands. */
function grouped(value, count) {
  const rounded = Math.round(Number(value.toPrecision(count)));
  return String(rounded).replace(/\B(?=(\d{3})+$)/g, "\u202f").replace("-", "−");
}

/** m³ as ml, l or m³. */
export function volume(cubic, count = 4) {
  const size = Math.abs(cubic);
  if (size === 0) return "0 ml";
  if (size >= 1) return `${digits(cubic, count)} m³`;
  if (size >= 1e-3) return `${digits(cubic * 1e3, count)} l`;
  return `${digits(cubic * 1e6, count)} ml`;
}

/** m³/s as ml/s, l/s or m³/s. */
export const rate = (perSecond) => `${volume(perSecond, 3)}/s`;

/** m as mm, cm or m. */
export function length(metres, count = 3) {
  const size = Math.abs(metres);
  if (size === 0) return "0 mm";
  if (size < 0.01) return `${digits(metres * 1e3, count)} mm`;
  if (size < 1) return `${digits(metres * 1e2, count)} cm`;
  return `${digits(metres, count)} m`;
}

/** s as s, min or h. */
export function time(seconds) {
  if (seconds < 100) return `${seconds.toFixed(2)} s`;
  if (seconds < 6000) return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  return `${digits(seconds / 3600, 3)} h`;
}

/** Bytes as kB or MB. */
export const bytes = (count) => (count < 1e6 ? `${Math.ceil(count / 1e3)} kB` : `${digits(count / 1e6, 3)} MB`);

/** m²/s as mm²/s. */
export const viscosity = (value) => `${digits(value * 1e6, 2)} mm²/s`;
