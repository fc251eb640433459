// Numbers with their units, for people.

const steps = (value, table) => {
  const size = Math.abs(value);
  const [scale, unit] = table.find(([least]) => size >= least) ?? table[table.length - 1];
  return `${trim(value / scale)} ${unit}`;
};

/** Three digits, without trailing zeros of large numbers. */
export function trim(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}

/** A volume in m³ as text. */
export const volume = (value) => value === 0 ? "0" :
  steps(value, [[1, "m³"], [1e-3, "l"], [1e-6, "ml"], [1e-9, "µl"], [1e-12, "nl"]].map(([s, u]) => [s, u]));

/** A volume per time in m³/s as text. */
export const rate = (value) => `${volume(value)}/s`;

/** A length in m as text. */
export const length = (value) => value === 0 ? "0" : steps(value, [[1e3, "km"], [1, "m"], [1e-2, "cm"], [1e-3, "mm"], [1e-6, "µm"]]);

/** A kinematic viscosity in m²/s as text: in mm²/s. */
export const viscosity = (value) => `${trim(value * 1e6)} mm²/s`;

/** Rain in m/s as text. */
export const rain = (value) => (value === 0 ? "none" : `${trim(value * 1000)} mm/s`);
