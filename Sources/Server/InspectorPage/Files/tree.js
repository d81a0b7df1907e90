// A document as a tree in which every key, value and type can be changed.
import { h, button, replace } from "./dom.js";
import { isNumber, make } from "./json.js";

const types = ["string", "number", "boolean", "null", "object", "array"];
const pageLength = 200;

// `changed` is called after each change of `root`, which is changed in place.
export function tree(root, isReadOnly, changed) {
  const list = h("ul", { class: "tree", "aria-label": "Properties" });
  replace(list, children(root, 0, { isReadOnly, changed }));
  return list;
}

function children(parent, depth, options, limit = pageLength) {
  const isObject = parent.type === "object";
  const entries = isObject ? parent.members : parent.items;
  const rows = [];
  entries.slice(0, limit).forEach((_, index) => rows.push(row(parent, index, depth, options)));
  if (entries.length > limit) {
    rows.push(h("li", {}, button(`Show more (${entries.length - limit})`, (event) => {
      const list = event.target.closest("ul");
      replace(list, children(parent, depth, options, limit + 1000));
    })));
  }
  if (!options.isReadOnly) {
    rows.push(h("li", { class: "node" }, h("span", { class: "gap" }), button(isObject ? "+ Add a property" : "+ Add an item", (event) => {
      const list = event.target.closest("ul");
      if (isObject) parent.members.push([freeKey(parent), make("string")]);
      else parent.items.push(make(parent.items.length > 0 ? parent.items[parent.items.length - 1].type : "string"));
      options.changed();
      replace(list, children(parent, depth, options, Math.max(limit, entries.length + 1)));
      const added = [...list.children].at(-2)?.querySelector("input, textarea, select");
      added?.focus();
      added?.select?.();
    }, { class: "small-button add" })));
  }
  return rows;
}

function freeKey(parent) {
  const keys = new Set(parent.members.map(([key]) => key));
  let number = 1;
  while (keys.has(`property${number}`)) number += 1;
  return `property${number}`;
}

function row(parent, index, depth, options) {
  const isObject = parent.type === "object";
  const value = isObject ? parent.members[index][1] : parent.items[index];
  const key = isObject ? parent.members[index][0] : null;
  const name = isObject ? key : `Item ${index}`;
  const set = (next) => {
    if (isObject) parent.members[index][1] = next;
    else parent.items[index] = next;
    options.changed();
  };
  const isContainer = value.type === "object" || value.type === "array";
  const item = h("li", {});
  const line = h("div", { class: "node" });
  const inner = isContainer ? h("ul", { hidden: true }) : null;
  const toggle = isContainer
    ? button("▸", () => expand(inner.hidden), { class: "toggle", "aria-expanded": "false", "aria-label": `Contents of ${name}` })
    : h("span", { class: "gap" });
  function expand(isOpen) {
    if (isOpen && inner.children.length === 0) replace(inner, children(value, depth + 1, options));
    inner.hidden = !isOpen;
    toggle.setAttribute("aria-expanded", String(isOpen));
  }
  const redraw = () => {
    const list = item.parentElement;
    replace(list, children(parent, depth, options, Math.max(pageLength, list.children.length)));
    list.children[index]?.querySelector("select")?.focus();
  };
  line.append(toggle, ...keyOf(parent, index, key, options), valueOf(value, name, options, set));
  if (!options.isReadOnly) {
    line.append(
      h("select", { class: "type", "aria-label": `Type of ${name}`, onchange: (event) => { set(make(event.target.value, value)); redraw(); } },
        types.map((type) => h("option", { value: type, selected: type === value.type }, type))),
      button("×", () => {
        if (isObject) parent.members.splice(index, 1);
        else parent.items.splice(index, 1);
        options.changed();
        redraw();
      }, { class: "small-button", "aria-label": `Remove ${name}` }),
    );
  }
  item.append(line);
  if (inner) {
    item.append(inner);
    const size = value.type === "object" ? value.members.length : value.items.length;
    if (depth < 1 && size <= 20) expand(true);
  }
  return item;
}

// Browsers that do not fit a text area to its text get one of about the right height.
function rowsOf(text) {
  if (CSS.supports("field-sizing", "content")) return 1;
  return Math.min(8, text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / 70), 0));
}

function keyOf(parent, index, key, options) {
  if (key === null) return [h("span", { class: "index" }, index)];
  if (options.isReadOnly) return [h("bdi", { class: "key", dir: "auto" }, key), h("span", { class: "colon" }, ":")];
  const input = h("input", {
    type: "text", class: "key", dir: "auto", value: key, "aria-label": `Key ${key}`, spellcheck: "false", autocomplete: "off", size: Math.max(2, key.length),
    oninput: (event) => {
      const isTaken = parent.members.some(([other], place) => place !== index && other === event.target.value);
      event.target.classList.toggle("invalid", isTaken);
      event.target.title = isTaken ? "Another property has this key" : "";
      if (isTaken) return;
      parent.members[index][0] = event.target.value;
      options.changed();
    },
  });
  return [input, h("span", { class: "colon" }, ":")];
}

function valueOf(value, name, options, set) {
  const label = { "aria-label": `Value of ${name}` };
  switch (value.type) {
    case "object": return h("span", { class: "summary" }, value.members.length === 1 ? "{ 1 property }" : `{ ${value.members.length} properties }`);
    case "array": return h("span", { class: "summary" }, value.items.length === 1 ? "[ 1 item ]" : `[ ${value.items.length} items ]`);
    case "null": return h("span", { class: "value-null" }, "null");
    case "boolean":
      if (options.isReadOnly) return h("span", { class: "value-boolean" }, String(value.value));
      return h("select", { class: "value-boolean", ...label, onchange: (event) => set({ type: "boolean", value: event.target.value === "true" }) },
        ["true", "false"].map((word) => h("option", { value: word, selected: String(value.value) === word }, word)));
    case "number":
      if (options.isReadOnly) return h("span", { class: "value-number" }, value.value);
      return h("input", {
        type: "text", inputmode: "decimal", class: "value-number", value: value.value, size: Math.max(6, value.value.length), ...label,
        oninput: (event) => {
          const isValid = isNumber(event.target.value);
          event.target.classList.toggle("invalid", !isValid);
          if (isValid) set({ type: "number", value: event.target.value });
        },
      });
    default:
      if (options.isReadOnly) return h("bdi", { class: "value-string", dir: "auto" }, value.value);
      return h("textarea", {
        class: "value-string", dir: "auto", rows: rowsOf(value.value), spellcheck: "false", value: value.value, ...label,
        oninput: (event) => set({ type: "string", value: event.target.value }),
      });
  }
}
