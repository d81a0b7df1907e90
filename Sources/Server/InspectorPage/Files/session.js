// What the views share: the database and the chosen collection, addresses, messages and questions.
import { h, button, replace } from "./dom.js";

export const state = { database: null, collections: [], collection: null };

// Addresses are `#view/collection/document`, percent-encoded.
export function address(view, ...parts) {
  return `#${[view, ...parts].map(encodeURIComponent).join("/")}`;
}

export function show(message, isBad = false) {
  const box = h("div", { class: isBad ? "message bad" : "message" }, message);
  const list = document.getElementById("messages");
  list.append(box);
  if (list.children.length > 3) list.firstChild.remove();
  setTimeout(() => box.remove(), isBad ? 8000 : 4000);
}

export function fail(error) {
  if (error.name !== "AbortError") show(error.message, true);
}

// Asks a question, and returns the value of the chosen answer, or `null`.
export function ask(title, detail, answers) {
  const dialog = document.getElementById("question");
  return new Promise((resolve) => {
    const finish = (value) => {
      dialog.close();
      resolve(value);
    };
    dialog.oncancel = () => resolve(null);
    replace(dialog, h("h2", { id: "question-title" }, title), detail && h("p", {}, detail), h("div", { class: "row" },
      button("Cancel", () => finish(null)),
      answers.map(([label, value, kind]) => button(label, () => finish(value), { class: kind || "primary" }))));
    dialog.showModal();
  });
}

const names = new Intl.Collator("en", { numeric: true });

// Collections in the order in which people look for them: a2 before a10.
export function inOrder(collections) {
  return [...collections].sort((left, right) => names.compare(left.name, right.name) || (left.name < right.name ? -1 : 1));
}

// The name of a collection in a query.
export function sourceName(collection) {
  if (collection === "_default._default") return "_";
  // In quotes, because a name may be a word of the language.
  const parts = collection.split(".").map((part) => `\`${part}\``);
  return collection.startsWith("_default.") ? parts[1] : parts.join(".");
}

// Sets what is known about the collections, and keeps the choice if that collection still exists.
export function setCollections(collections) {
  state.collections = inOrder(collections);
  if (!state.collections.some((item) => item.name === state.collection)) {
    const preferred = state.collections.find((item) => item.lastSequence > 0) || state.collections[0];
    state.collection = preferred ? preferred.name : null;
  }
}
