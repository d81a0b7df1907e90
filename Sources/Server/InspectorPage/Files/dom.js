// Creates elements. Texts become text nodes, so nothing from the database is ever parsed as HTML.

const svgNames = new Set(["svg", "g", "path", "rect", "circle", "line", "polyline", "text", "title"]);

export function h(name, properties, ...children) {
  const isDrawing = svgNames.has(name) && name !== "title";
  const element = isDrawing || (properties && properties.svg)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false || key === "svg") continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" && !isDrawing) element.value = value;
    else if (key === "checked" || key === "disabled" || key === "hidden" || key === "selected") element[key] = Boolean(value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue; // What `condition && element` gives.
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// A text from the database: its direction is its own, and it does not change that of the text around it.
export function text(value, className = "") {
  return h("bdi", { class: className, dir: "auto" }, value);
}

export function button(label, action, properties = {}) {
  return h("button", { type: "button", onclick: action, ...properties }, label);
}

export function field(label, control) {
  return h("label", { class: "field" }, h("span", {}, label), control);
}

export function empty(title, detail, ...more) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), detail && h("p", {}, detail), more);
}

// Tabs: one is selected; the arrow keys move between them.
export function tabs(label, items, selected, choose) {
  const list = h("div", { role: "tablist", "aria-label": label, class: "tabs" });
  function select(id, focuses) {
    for (const tab of list.children) {
      const isSelected = tab.dataset.id === id;
      tab.setAttribute("aria-selected", String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      if (isSelected && focuses) tab.focus();
    }
    choose(id);
  }
  for (const [id, title] of items) {
    const tab = button(title, () => select(id, false), { role: "tab" });
    tab.dataset.id = id;
    list.append(tab);
  }
  list.addEventListener("keydown", (event) => {
    const all = [...list.children];
    const now = all.indexOf(document.activeElement);
    const isReversed = getComputedStyle(list).direction === "rtl";
    const step = { ArrowRight: isReversed ? -1 : 1, ArrowLeft: isReversed ? 1 : -1 }[event.key];
    if (!step || now < 0) return;
    event.preventDefault();
    select(all[(now + step + all.length) % all.length].dataset.id, true);
  });
  select(selected, false);
  list.select = (id) => select(id, false);
  return list;
}

const numberFormat = new Intl.NumberFormat("en");
export const count = (number) => (number === null || number === undefined ? "…" : numberFormat.format(number));

export function bytes(number) {
  if (number === null || number === undefined) return "–";
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) {
    number /= 1000;
    unit += 1;
  }
  return `${number < 10 && unit > 0 ? number.toFixed(1) : Math.round(number)} ${units[unit]}`;
}

export function time(seconds) {
  return new Date(seconds * 1000).toISOString().replace("T", " ").replace("Z", "");
}
