// The frame of the page: views, colours and keys.
import { h, button, replace } from "./dom.js";
import { get } from "./api.js";
import { address, setCollections, state } from "./session.js";
import { documentsView } from "./documents.js";
import { gridView } from "./grid.js";
import { queryView } from "./query.js";
import { indexesView } from "./indexes.js";
import { conflictsView } from "./conflicts.js";
import { liveView } from "./live.js";
import { logView } from "./log.js";
import { startTheme } from "./theme.js";

const views = [
  ["documents", "Documents", documentsView], ["grid", "Grid", gridView], ["query", "Query", queryView], ["indexes", "Indexes", indexesView],
  ["conflicts", "Conflicts", conflictsView], ["live", "Live", liveView], ["log", "Log", logView],
];

const main = document.getElementById("main");
let current = null;

function parts() {
  try {
    return location.hash.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return [""];
  }
}

function choose() {
  const [id, ...rest] = parts();
  const found = views.find(([name]) => name === id) || views[0];
  if (current && current.name === found[0] && current.view.update) {
    current.view.update(rest);
    return;
  }
  current?.view.end?.();
  for (const link of document.querySelectorAll("#views a")) {
    if (link.dataset.view === found[0]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${found[1]} · ${state.database ? state.database.name : "Inspector"}`;
  const view = found[2](rest);
  current = { name: found[0], view };
  replace(main, view.element);
}

// Keys

const keys = [
  ["?", "Shows these keys"], ["1 – 7", "Opens a view"], ["/", "Goes to the search field of the view"],
  ["↑ ↓ Page Up Page Down Home", "Move in the list of documents"], ["Enter", "Opens the selected document, or that with the typed ID"],
  ["Ctrl S", "Saves the document"], ["Ctrl Enter", "Runs the query"], ["Ctrl Space", "Completes a word in the query"],
  ["← →", "Move between tabs"], ["Esc", "Closes a list or dialog, cancels the query, goes back"],
];

function showKeys() {
  const dialog = document.getElementById("help");
  replace(dialog, h("h2", { id: "help-title" }, "Keys"),
    h("dl", { class: "keys" }, keys.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])),
    h("div", { class: "row" }, button("Close", () => dialog.close(), { class: "primary" })));
  if (!dialog.open) dialog.showModal();
}

document.getElementById("keys").addEventListener("click", showKeys);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  if (event.key === "?") showKeys();
  else if (event.key === "/") document.querySelector("[data-search]")?.focus();
  else if (event.key >= "1" && event.key <= String(views.length)) location.hash = address(views[Number(event.key) - 1][0]);
  else return;
  event.preventDefault();
});

// Start

function fillBar() {
  const { database } = state;
  replace(document.getElementById("database-name"), database.name);
  const path = document.getElementById("database-path");
  replace(path, database.path);
  path.title = `${database.path}, file of release ${database.release}`;
  const mode = document.getElementById("mode");
  replace(mode, database.readOnly ? "read-only" : "writable");
  mode.className = database.readOnly ? "badge" : "badge accent";
  mode.hidden = false;
  const notice = document.getElementById("notice");
  replace(notice, database.notice || "");
  notice.hidden = !database.notice;
}

// A hub has several databases: the choice leads to the same view of another one, unless the user wants to keep what has been changed.
function fillChoice({ databases, current: name }) {
  const choice = document.getElementById("databases");
  if (databases.length === 0) return;
  replace(choice, databases.map((item) => h("option", { value: item.name, selected: item.name === name }, item.name)),
    h("option", { value: "" }, "All databases"));
  choice.hidden = false;
  document.getElementById("database-name").hidden = true;
  choice.addEventListener("change", async () => {
    const wanted = choice.value;
    choice.value = name;
    if (!(await (current?.view.mayLeave?.() ?? true))) return;
    location.href = wanted === "" ? "../" : `../${encodeURIComponent(wanted)}/${address(current?.name ?? "documents")}`;
  });
}

async function start() {
  startTheme();
  const nav = document.getElementById("views");
  replace(nav, views.map(([id, title], index) =>
    h("a", { href: address(id), "data-view": id, title: `${title} (${index + 1})` }, title)));
  let list;
  try {
    let collections;
    [state.database, list, collections] = await Promise.all([get("database"), get("databases"), get("collections")]);
    setCollections(collections);
  } catch (error) {
    replace(main, h("div", { class: "empty" }, h("p", { class: "empty-title" }, "The database cannot be read"), h("p", {}, error.message)));
    return;
  }
  fillBar();
  fillChoice(list);
  addEventListener("hashchange", choose);
  choose();
  document.documentElement.dataset.ready = "true";
}

start();
