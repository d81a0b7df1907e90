// Documents in conflict: both versions side by side, with a choice for each property.
import { h, button, count, empty, field, replace, text } from "./dom.js";
import { get, post } from "./api.js";
import { address, show, state } from "./session.js";
import { parse, write } from "./json.js";

export function conflictsView() {
  const inner = h("div", { class: "inner" });
  const element = h("div", { class: "view page" }, inner);
  const chooser = h("select", { onchange: () => { state.collection = chooser.value; load(); } },
    state.collections.map((item) => h("option", { value: item.name, selected: item.name === state.collection }, item.name)));
  const place = h("div", {});
  place.className = "inner-list";

  async function load() {
    try {
      const { conflicts, total } = await get("conflicts", { collection: state.collection });
      replace(place, conflicts.length === 0
        ? h("section", { class: "panel" }, empty("No conflicts", `No document of ${state.collection} has two versions.`))
        : conflicts.map((conflict) => card(conflict, load)),
      total > conflicts.length && h("p", { class: "muted" }, `${count(total - conflicts.length)} more are shown when these are resolved.`));
    } catch (error) { replace(place, empty("The conflicts cannot be read", error.message)); }
  }

  replace(inner, h("div", { class: "row end" }, field("Collection", chooser)), place);
  if (state.collection) load();
  return { element };
}

function members(version) {
  return new Map(version && !version.deleted ? parse(version.body).members : []);
}

const isSame = (left, right) => (left === undefined || right === undefined ? left === right : write(left) === write(right));

function card(conflict, reload) {
  const [local, remote, base] = [members(conflict.local), members(conflict.remote), members(conflict.base)];
  const keys = [...new Set([...local.keys(), ...remote.keys(), ...base.keys()])].sort();
  const choice = new Map();
  const canMerge = !conflict.local.deleted && !conflict.remote.deleted;
  const problem = h("div", { class: "error", role: "alert", hidden: true });
  const isReadOnly = state.database.readOnly;

  const rows = keys.map((key) => {
    const [mine, theirs, old] = [local.get(key), remote.get(key), base.get(key)];
    const differs = !isSame(mine, theirs);
    // A side that has changed wins over one that has not.
    choice.set(key, conflict.base && isSame(mine, old) ? "remote" : "local");
    const cell = (value, side) => {
      const shown = value === undefined ? h("span", { class: "gone" }, "missing") : h("bdi", { dir: "auto" }, write(value));
      const radio = differs && canMerge && !isReadOnly && h("input", {
        type: "radio", name: `${conflict.id}\u0000${key}`, checked: choice.get(key) === side, "aria-label": `${key}: ${side}`, onchange: () => choice.set(key, side),
      });
      return h("td", { class: differs ? "data differs" : "data" }, radio ? h("label", {}, radio, shown) : shown);
    };
    return h("tr", {}, h("th", { scope: "row" }, text(key)), cell(mine, "local"), cell(theirs, "remote"),
      conflict.base && h("td", { class: "data muted" }, old === undefined ? h("span", { class: "gone" }, "missing") : h("bdi", { dir: "auto" }, write(old))));
  });

  async function resolve(keep) {
    const merged = { type: "object", members: keys.map((key) => [key, (choice.get(key) === "local" ? local : remote).get(key)]).filter(([, value]) => value !== undefined) };
    try {
      await post("conflicts", {
        collection: state.collection, id: conflict.id, keep, local: conflict.local.rev, remote: conflict.remote.rev, body: keep === "merged" ? write(merged) : undefined,
      });
      show(`Resolved the conflict of ${conflict.id}.`);
      reload();
    } catch (error) {
      problem.hidden = false;
      replace(problem, error.message, error.status === 409 && [" ", button("Read it again", reload)]);
    }
  }

  const title = (name, version) => h("th", { scope: "col" }, name, " ", h("code", { class: "small" }, version.rev.slice(0, 14)), version.deleted && [" ", h("span", { class: "badge bad" }, "deleted")]);
  return h("article", { class: "panel", "aria-label": `Conflict of ${conflict.id}` },
    h("header", {}, h("h2", {}, h("a", { href: address("documents", state.collection, conflict.id) }, text(conflict.id))), h("span", { class: "badge warn" }, "conflict")),
    h("div", { class: "scroll" }, h("table", { class: "compare" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Property"), title("Local", conflict.local), title("Remote", conflict.remote), conflict.base && title("Common ancestor", conflict.base))),
      h("tbody", {}, rows))),
    !isReadOnly && h("div", { class: "content row" },
      button("Keep the local version", () => resolve("local")), button("Keep the remote version", () => resolve("remote")),
      canMerge && button("Save the chosen properties", () => resolve("merged"), { class: "primary" })), problem);
}
