// The users, roles and channels of a hub, which are changed with cblite hub.
import { h, count, empty, text } from "./dom.js";

function table(titles, rows) {
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows)));
}

const list = (names) => (names.length === 0 ? h("span", { class: "muted" }, "none") : h("span", { class: "names" }, names.map((name) => text(name, "badge"))));

function panel(title, total, shown, content) {
  const more = total > shown && h("span", { class: "muted" }, `the first ${count(shown)} of ${count(total)}`);
  return h("section", { class: "panel", "aria-label": title }, h("header", {}, h("h2", {}, title), more), content);
}

// Returns the channels with the users and roles that have them.
function channelsOf({ users, roles }) {
  const channels = new Map();
  const add = (kind) => ({ name, channels: names }) => {
    for (const channel of names) {
      if (!channels.has(channel)) channels.set(channel, { users: [], roles: [] });
      channels.get(channel)[kind].push(name);
    }
  };
  users.forEach(add("users"));
  roles.forEach(add("roles"));
  return [...channels].sort(([left], [right]) => left.localeCompare(right, "en", { numeric: true }));
}

export function usersPanels(lists) {
  const { users, roles, userCount, roleCount } = lists;
  const channels = channelsOf(lists);
  const row = (...cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)));
  return [
    panel("Users", userCount, users.length, users.length === 0
      ? empty("There are no users", "Everyone on this machine may read and write. Add a user with: cblite hub user add DIR NAME")
      : table(["User", "Channels", "Roles", ""], users.map((user) => row(text(user.name), list(user.channels), list(user.roles), user.disabled && h("span", { class: "badge bad" }, "disabled"))))),
    roles.length > 0 && panel("Roles", roleCount, roles.length, table(["Role", "Channels"], roles.map((role) => row(text(role.name), list(role.channels))))),
    channels.length > 0 && panel("Channels", 0, 0, table(["Channel", "Users", "Roles"], channels.map(([name, owners]) =>
      row(name === "*" ? [text(name), h("span", { class: "muted" }, " all documents")] : text(name), list(owners.users), list(owners.roles))))),
  ];
}
