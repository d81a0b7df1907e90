// The documents of a collection as a table, with filters by property.
import { h, button, count, empty, field, replace, text } from "./dom.js";
import { get, post } from "./api.js";
import { address, fail, sourceName, state } from "./session.js";
import { parse, write } from "./json.js";
import { download, csv, json } from "./export.js";
import { fetchRows, requestText, table } from "./rows.js";

const pageLength = 100;
const maximumExport = 10000;
// What was chosen for each collection.
const remembered = new Map();

const comparisons = [
  ["=", "is"], ["!=", "is not"], ["<", "is less than"], ["<=", "is at most"], [">", "is greater than"], [">=", "is at least"],
  ["contains", "contains"], ["exists", "exists"], ["missing", "is missing"],
];
const needsValue = (operator) => operator !== "exists" && operator !== "missing";

// What is typed is a JSON value, or otherwise a text.
function valueOf(typed) {
  try {
    const value = parse(typed);
    if (value.type !== "object" && value.type !== "array") return value;
  } catch { /* A text. */ }
  return { type: "string", value: typed };
}

// Returns the text and the parameters of a query. `columns` and the properties of `filters` are paths as the server has named them.
export function gridQuery(collection, { columns, filters, order, isDescending }, limit, offset) {
  const used = filters.filter((filter) => filter.path && (!needsValue(filter.operator) || filter.value !== ""));
  const path = (name) => `d.${name}`;
  const conditions = used.map(({ path: name, operator }, index) => {
    if (operator === "exists") return `${path(name)} IS NOT MISSING`;
    if (operator === "missing") return `${path(name)} IS MISSING`;
    if (operator === "contains") return `CONTAINS(LOWER(${path(name)}), LOWER($f${index}))`;
    return `${path(name)} ${operator} $f${index}`;
  });
  const parameters = used.flatMap(({ operator, value }, index) => {
    if (!needsValue(operator)) return [];
    return [`"f${index}":${write(operator === "contains" ? { type: "string", value } : valueOf(value))}`];
  });
  return {
    text: [
      `SELECT ${["meta(d).id", ...columns.map(path)].map((item, index) => `${item} AS c${index}`).join(", ")} FROM ${sourceName(collection)} AS d`,
      conditions.length > 0 && `WHERE ${conditions.join(" AND ")}`,
      `ORDER BY ${order ? `${path(order)}${isDescending ? " DESC" : ""}, ` : ""}meta(d).id${!order && isDescending ? " DESC" : ""}`,
      `LIMIT ${limit} OFFSET ${offset}`,
    ].filter(Boolean).join(" "),
    parameters: `{${parameters.join(",")}}`,
  };
}

export function gridView(route) {
  const chooser = h("select", { "aria-label": "Collection", onchange: () => { location.hash = address("grid", chooser.value); } });
  const filterList = h("div", { class: "filters" });
  const columnList = h("fieldset", { class: "row columns", "aria-label": "Columns" });
  const results = h("section", { class: "panel results", "aria-label": "Documents" });
  const element = h("div", { class: "view page" }, h("div", { class: "inner wide" },
    h("section", { class: "panel", "aria-label": "Filters" }, h("div", { class: "content grid-tools" },
      h("div", { class: "row end" }, field("Collection", chooser),
        button("Add a filter", () => { choice.filters.push({ path: "", operator: "=", value: "" }); drawFilters(true); }),
        button("Read again", () => read())),
      filterList, h("details", {}, h("summary", {}, "Columns"), columnList))), results));
  let choice = null;
  let collection = null;
  let rows = [];
  let hasMore = false;
  let running = null;
  let hasEnded = false;

  // Nobody waits for the answer of a cancelled query any more: the request is given up, so that its error is not a fault in the console.
  async function cancel() {
    const query = running;
    running = null;
    query?.abort.abort();
    if (query) await post("cancel", { name: query.name }).catch(() => {});
  }

  async function run(limit, offset) {
    const { text: query, parameters } = gridQuery(collection, choice, limit, offset);
    const own = { name: crypto.randomUUID(), abort: new AbortController() };
    running = own;
    try {
      const answer = await fetchRows(requestText({ name: own.name, text: query, limit, seconds: 30 }, parameters), own.abort.signal);
      return running === own && !hasEnded ? answer.rows : null;
    } catch (error) {
      if (running !== own || hasEnded) return null;
      throw error;
    }
  }

  // Reads the first rows, or those that follow.
  async function read(isFollowing = false) {
    if (!choice) return;
    await cancel();
    results.setAttribute("aria-busy", "true");
    try {
      const found = await run(pageLength + 1, isFollowing ? rows.length : 0);
      if (!found) return;
      hasMore = found.length > pageLength;
      rows = [...(isFollowing ? rows : []), ...found.slice(0, pageLength)];
      draw();
    } catch (error) {
      replace(results, h("div", { class: "content" }, h("div", { class: "error data", role: "alert" }, error.message)));
    } finally {
      results.removeAttribute("aria-busy");
    }
  }

  async function exportRows(type) {
    try {
      const found = await run(maximumExport, 0);
      if (!found) return;
      const columns = ["id", ...choice.columns];
      const name = `${state.database.name} ${collection}`.replace(/[^\p{L}\p{N} ._-]/gu, "_");
      if (type === "csv") download(`${name}.csv`, "text/csv", csv(columns, found));
      else download(`${name}.json`, "application/json", json(columns, found));
      if (found.length === maximumExport) fail(new Error(`The file contains the first ${count(maximumExport)} documents; use cblite export for all.`));
    } catch (error) { fail(error); }
  }

  function sort(path) {
    choice.isDescending = choice.order === path && !choice.isDescending;
    choice.order = path;
    read();
  }

  function draw() {
    const { columns, order, isDescending } = choice;
    const header = h("header", {}, h("h2", {}, "Documents"), h("span", { class: "muted", role: "status" }, hasMore ? `the first ${count(rows.length)}` : count(rows.length)),
      h("span", { class: "row push" }, button("Export JSON", () => exportRows("json"), { class: "small" }), button("Export CSV", () => exportRows("csv"), { class: "small" })));
    const pathOf = (column) => (column === 0 ? "" : columns[column - 1]);
    const heads = ["ID", ...columns].map((title, column) => button([text(title), pathOf(column) === order && (isDescending ? " ↓" : " ↑")], () => sort(pathOf(column)), { class: "sort" }));
    replace(results, header, rows.length === 0 ? empty("No documents", "No document of this collection satisfies the filters.") : h("div", { class: "content" },
      table(["ID", ...columns], rows, {
        heads, link: (column, value) => (column === 0 ? address("documents", collection, value) : null),
        sorted: (column) => (pathOf(column) === order ? (isDescending ? "descending" : "ascending") : null),
      }, rows.length),
      hasMore && button("More documents", () => read(true))));
  }

  function drawFilters(focusesLast = false) {
    replace(filterList, choice.filters.map((filter) => {
      const value = h("input", {
        type: "text", class: "grow", placeholder: 'red, 42, true or "42"', "aria-label": "Value", value: filter.value, dir: "auto", hidden: !needsValue(filter.operator),
        onchange: () => { filter.value = value.value; read(); },
      });
      const operator = h("select", { "aria-label": "Comparison", onchange: () => {
        filter.operator = operator.value;
        value.hidden = !needsValue(filter.operator);
        read();
      } }, comparisons.map(([id, title]) => h("option", { value: id, selected: id === filter.operator }, title)));
      const path = h("select", { "aria-label": "Property", onchange: () => { filter.path = path.value; read(); } },
        h("option", { value: "" }, "Property"), choice.paths.map((name) => h("option", { value: name, selected: name === filter.path }, name)));
      return h("div", { class: "row filter" }, path, operator, value, button("×", () => {
        choice.filters.splice(choice.filters.indexOf(filter), 1);
        drawFilters();
        read();
      }, { class: "quiet", "aria-label": "Remove the filter" }));
    }));
    if (focusesLast) filterList.lastChild?.querySelector("select")?.focus();
  }

  function drawColumns() {
    replace(columnList, choice.paths.map((name) => h("label", { class: "check" }, h("input", {
      type: "checkbox", checked: choice.columns.includes(name), onchange: (event) => {
        const isChosen = (path) => (path === name ? event.target.checked : choice.columns.includes(path));
        choice.columns = choice.paths.filter(isChosen);
        if (!choice.columns.includes(choice.order)) choice.order = "";
        read();
      },
    }), text(name))));
  }

  async function open(name) {
    const wanted = state.collections.some((item) => item.name === name) ? name : state.collection;
    if (wanted) state.collection = wanted;
    replace(chooser, state.collections.map((item) => h("option", { value: item.name, selected: item.name === state.collection }, item.name)));
    collection = state.collection;
    if (!collection) return void replace(results, empty("There are no collections", "This database has no collection to show."));
    replace(results, h("p", { class: "loading" }, "Reading…"));
    try {
      if (!remembered.has(collection)) remembered.set(collection, start(await get("schema", { collection })));
    } catch (error) { return void replace(results, empty("The collection cannot be read", error.message)); }
    if (hasEnded || collection !== state.collection) return;
    choice = remembered.get(collection);
    drawFilters();
    drawColumns();
    await read();
  }

  open(route[0]);
  return { element, update: ([name]) => { open(name); }, end: () => { hasEnded = true; cancel(); } };
}

// What is shown first: the properties with single values, or all if there are none.
function start({ properties }) {
  const known = properties.filter((property) => !property.path.includes("[]")).slice(0, 100);
  const single = known.filter((property) => !["object", "array", "blob"].includes(property.types[0].name));
  const paths = known.map((property) => property.path);
  return { paths, columns: (single.length > 0 ? single : known).slice(0, 8).map((property) => property.path), filters: [], order: "", isDescending: false };
}
