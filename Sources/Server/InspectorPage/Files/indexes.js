// The indexes of all collections, and a form to create one.
import { h, button, empty, field, replace, text } from "./dom.js";
import { call, get } from "./api.js";
import { ask, fail, show, state } from "./session.js";

export function indexesView() {
  const place = h("section", { class: "panel", "aria-label": "Indexes" });
  const element = h("div", { class: "view page" }, h("div", { class: "inner" }, place, !state.database.readOnly && form()));

  async function load() {
    try {
      const { indexes } = await get("indexes");
      const rows = indexes.map((index) => h("tr", {}, h("td", {}, text(index.name)), h("td", {}, text(index.collection)), h("td", {}, index.kind || "unknown"),
        h("td", { class: "data" }, index.path && h("div", {}, text(index.path)), text(index.expressions), !index.sql && h("span", { class: "muted" }, " (JSON)"), index.where && h("div", { class: "muted" }, "where ", text(index.where))),
        h("td", { class: "number-cell" }, !state.database.readOnly && button("Delete", () => remove(index), { class: "danger", "aria-label": `Delete the index ${index.name}` }))));
      replace(place, h("header", {}, h("h2", {}, "Indexes")), rows.length === 0
        ? empty("No indexes", "Queries read whole collections. The plan of a query tells which index would help it.")
        : h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Name", "Collection", "Kind", "Expressions", ""].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows))));
    } catch (error) { replace(place, empty("The indexes cannot be read", error.message)); }
  }

  async function remove(index) {
    if (!(await ask(`Delete the index ${index.name}?`, "Queries that use it become slower. The documents stay as they are.", [["Delete", true]]))) return;
    try {
      await call("DELETE", "indexes", { collection: index.collection, name: index.name });
      show("Deleted the index.");
      load();
    } catch (error) { fail(error); }
  }

  function form() {
    const name = h("input", { type: "text", autocomplete: "off", spellcheck: "false", "data-search": "" });
    const collection = h("select", {}, state.collections.map((item) => h("option", { value: item.name, selected: item.name === state.collection }, item.name)));
    const kind = h("select", { onchange: () => adapt() }, [["value", "Values"], ["full-text", "Words of a text"], ["array", "Elements of an array"]].map(([id, title]) => h("option", { value: id }, title)));
    const expressions = h("input", { type: "text", class: "mono", placeholder: "name, geo.alt", spellcheck: "false", dir: "ltr" });
    const condition = h("input", { type: "text", class: "mono", placeholder: "type = 'airport'", spellcheck: "false", dir: "ltr" });
    const path = h("input", { type: "text", class: "mono", placeholder: "contacts[].phones", spellcheck: "false", dir: "ltr" });
    const language = h("input", { type: "text", placeholder: "en", size: "6" });
    const [conditionField, pathField, languageField] = [field("Only documents where", condition), field("Path of the array", path), field("Language", language)];
    const problem = h("div", { class: "error data", role: "alert", hidden: true });
    const adapt = () => {
      conditionField.hidden = kind.value === "array";
      pathField.hidden = kind.value !== "array";
      languageField.hidden = kind.value !== "full-text";
    };
    adapt();
    const create = button("Create", async () => {
      problem.hidden = true;
      create.disabled = true;
      try {
        await call("POST", "indexes", {}, {
          name: name.value, collection: collection.value, kind: kind.value, expressions: expressions.value.trim() ? [expressions.value] : [],
          where: kind.value === "array" ? "" : condition.value, path: path.value, language: language.value || null,
        });
        show(`Created the index ${name.value}.`);
        name.value = expressions.value = "";
        load();
      } catch (error) {
        problem.hidden = false;
        replace(problem, error.message);
      }
      create.disabled = false;
    }, { class: "primary" });
    return h("section", { class: "panel", "aria-label": "New index" }, h("header", {}, h("h2", {}, "New index")), h("div", { class: "content" },
      h("div", { class: "row end" }, field("Name", name), field("Collection", collection), field("Kind", kind), pathField,
        h("div", { class: "grow" }, field("SQL++ expressions", expressions)), conditionField, languageField, create), problem));
  }

  replace(place, h("p", { class: "loading" }, "Reading…"));
  load();
  return { element };
}
