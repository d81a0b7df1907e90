// A text area for queries that completes keywords, functions, collections and properties.
import { h, replace } from "./dom.js";
import { get } from "./api.js";
import { state } from "./session.js";

let words = null;

async function allWords() {
  if (words) return words;
  const { keywords, functions } = await get("words");
  const properties = new Map();
  const schemas = await Promise.all(state.collections.slice(0, 12).map((item) => get("schema", { collection: item.name, documents: 200 }).catch(() => null)));
  for (const schema of schemas) {
    for (const property of schema?.properties || []) {
      if (!property.path.includes("[]")) properties.set(property.path, property.types[0].name);
    }
  }
  words = [
    ...[...properties].map(([word, type]) => ({ word, kind: type })),
    ...state.collections.map((item) => ({ word: item.name.startsWith("_default.") && item.name !== "_default._default" ? item.name.slice(9) : item.name, kind: "collection" })),
    ...keywords.map((word) => ({ word, kind: "keyword" })), ...functions.map((word) => ({ word, kind: "function" })),
  ];
  return words;
}

export function queryEditor(initial, actions) {
  const area = h("textarea", {
    class: "mono", rows: "5", spellcheck: "false", autocapitalize: "off", autocomplete: "off", dir: "ltr", value: initial, "aria-label": "Query in SQL++",
    "data-search": "", role: "combobox", "aria-expanded": "false", "aria-controls": "choices", "aria-autocomplete": "list",
  });
  const list = h("ul", { class: "choices", role: "listbox", id: "choices", "aria-label": "Completions", hidden: true });
  const element = h("div", { class: "editor" }, area, list);
  let choices = [];
  let selected = 0;

  const wordBefore = () => /[\p{L}\p{N}_.`$]*$/u.exec(area.value.slice(0, area.selectionStart))[0];

  function close() {
    list.hidden = true;
    area.setAttribute("aria-expanded", "false");
    area.removeAttribute("aria-activedescendant");
  }

  function draw() {
    replace(list, choices.map((choice, index) => h("li", {
      role: "option", id: `choice-${index}`, "aria-selected": String(index === selected), onmousedown: (event) => { event.preventDefault(); accept(index); },
    }, choice.word, h("span", {}, choice.kind))));
    area.setAttribute("aria-activedescendant", `choice-${selected}`);
    list.children[selected]?.scrollIntoView({ block: "nearest" });
  }

  function place() {
    const before = area.value.slice(0, area.selectionStart - wordBefore().length).split("\n");
    const style = getComputedStyle(area);
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = style.font;
    const x = canvas.measureText(before[before.length - 1]).width + parseFloat(style.paddingLeft) - area.scrollLeft;
    const y = before.length * parseFloat(style.lineHeight) + parseFloat(style.paddingTop) - area.scrollTop + 4;
    list.style.left = `${Math.max(0, Math.min(x, area.clientWidth - 220))}px`;
    list.style.top = `${Math.min(y, area.clientHeight)}px`;
  }

  async function offer(isForced) {
    const word = wordBefore();
    const lower = word.toLowerCase();
    if (!isForced && word.replaceAll(".", "").length < 1) return close();
    const all = await allWords().catch(() => []);
    if (wordBefore() !== word) return undefined;
    // Words of the language are offered in the case in which they are typed.
    const isLower = word !== "" && word === lower;
    choices = all.filter((choice) => choice.word.toLowerCase().startsWith(lower) && choice.word !== word).slice(0, 40)
      .map((choice) => (choice.kind === "keyword" && isLower ? { ...choice, word: choice.word.toLowerCase() } : choice));
    if (choices.length === 0 || (!isForced && choices.every((choice) => choice.word.toLowerCase() === lower))) return close();
    selected = 0;
    list.hidden = false;
    area.setAttribute("aria-expanded", "true");
    place();
    draw();
    return undefined;
  }

  function accept(index) {
    const word = wordBefore();
    const start = area.selectionStart - word.length;
    area.setRangeText(choices[index].word, start, area.selectionStart, "end");
    close();
    area.focus();
  }

  area.addEventListener("input", (event) => { if (!event.isComposing) offer(false); });
  area.addEventListener("blur", close);
  area.addEventListener("click", close);
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      close();
      actions.run();
    } else if (event.ctrlKey && event.key === " ") {
      event.preventDefault();
      offer(true);
    } else if (!list.hidden && ["ArrowDown", "ArrowUp", "Enter", "Tab", "Escape"].includes(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Escape") close();
      else if (event.key === "Enter" || event.key === "Tab") accept(selected);
      else {
        selected = (selected + (event.key === "ArrowDown" ? 1 : -1) + choices.length) % choices.length;
        draw();
      }
    }
  });
  return { element, area };
}
