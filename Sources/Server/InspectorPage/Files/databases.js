// The databases of a hub: a list that leads to the page of each of them.
import { h, bytes, count, empty, replace, text } from "./dom.js";
import { get } from "./api.js";
import { stream } from "./stream.js";
import { startTheme } from "./theme.js";
import { usersPanels } from "./users.js";

const list = h("section", { class: "panel", "aria-label": "Databases" });
const users = h("div", { class: "inner-list" });
const state = h("p", { class: "muted small", role: "status" });
const columns = ["Database", "Size", "Connected clients", "Documents sent", "Documents received", "Failures"];

function row(item) {
  const replication = item.replication || {};
  const numbers = [bytes(item.size), ...["clients", "sent", "received", "failures"].map((name) => count(replication[name]))];
  return h("tr", {}, h("td", {}, h("a", { href: `${encodeURIComponent(item.name)}/` }, text(item.name))),
    numbers.map((value) => h("td", { class: "number-cell" }, value)));
}

function draw(items) {
  if (items.length === 0) {
    replace(list, empty("There are no databases", "Create one in the directory of the hub, and start the hub again."));
    return;
  }
  const focused = document.activeElement?.closest("a")?.getAttribute("href");
  replace(list, h("header", {}, h("h2", {}, "Databases")), h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, columns.map((name, index) => h("th", { scope: "col", class: index > 0 ? "number-cell" : "" }, name)))),
    h("tbody", {}, items.map(row)))));
  if (focused) [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
}

startTheme();
replace(document.getElementById("main"), h("div", { class: "view page" }, h("div", { class: "inner" }, state, list, users)));
stream(() => ({ topic: "databases" }), {
  receive: (databases) => {
    draw(databases);
    replace(state, "Shown as it changes.");
    document.documentElement.dataset.ready = "true";
  },
  fail: (error) => replace(state, error.message),
});

get("databases").then((answer) => {
  if (answer.users) stream(() => ({ topic: "users" }), { receive: (lists) => replace(users, usersPanels(lists)) });
}, (error) => replace(state, error.message));
