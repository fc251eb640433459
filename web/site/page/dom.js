// Small helpers for the page's elements.

/** The element of this id. @param {string} id @returns {any} */
export const element = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element "${id}"`);
  return found;
};

/**
 * Makes an element with properties and children. "class" sets its class; names with a dash set attributes.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name.includes("-") || name === "for" || name === "role") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of icons.svg. @param {string} name */
export function icon(name) {
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("class", "icon");
  drawn.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `icons.svg#${name}`);
  drawn.append(use);
  return drawn;
}

/** Shows another icon in an element that has one. @param {Element} where @param {string} name */
export const changeIcon = (where, name) => where.querySelector("use")?.setAttribute("href", `icons.svg#${name}`);
