// Queries: an editor, the results as table, JSON and chart, and the plan in words.
import { h, button, count, empty, field, replace, tabs, text } from "./dom.js";
import { call, post } from "./api.js";
import { address, ask, fail, show, sourceName, state } from "./session.js";
import { write } from "./json.js";
import { chart } from "./chart.js";
import { exportButtons } from "./export.js";
import { fetchRows, requestText, rowsOf, table } from "./rows.js";
import { queryEditor } from "./completion.js";
import { stream } from "./stream.js";

const remembered = { text: null, answer: null, parameters: "" };

function readHistory() {
  try {
    const list = JSON.parse(localStorage.getItem("history") || "[]");
    return Array.isArray(list) ? list.filter((item) => typeof item === "string").slice(0, 50) : [];
  } catch {
    return [];
  }
}

function remember(query) {
  const list = [query, ...readHistory().filter((item) => item !== query)].slice(0, 50);
  try {
    localStorage.setItem("history", JSON.stringify(list));
  } catch { /* The history is then shorter. */ }
}

export function queryView() {
  const start = remembered.text ?? `SELECT meta().id, *\nFROM ${state.collection ? sourceName(state.collection) : "_"}\nLIMIT 100`;
  const editor = queryEditor(start, { run: () => run() });
  const parameters = h("input", { type: "text", class: "mono", dir: "ltr", placeholder: '{"name": "value"}', value: remembered.parameters, "aria-label": "Parameters as JSON", spellcheck: "false" });
  const limit = h("input", { type: "number", min: "1", max: "10000", value: "1000" });
  const seconds = h("input", { type: "number", min: "1", max: "600", value: "30" });
  const history = h("select", { "aria-label": "Earlier queries", onchange: () => { if (history.value) editor.area.value = history.value; history.value = ""; editor.area.focus(); } });
  const runButton = button("Run", () => run(), { class: "primary", title: "Ctrl Enter" });
  const cancel = button("Cancel", () => stop(), { hidden: true, class: "danger" });
  const live = h("input", { type: "checkbox", onchange: () => { if (!live.checked) stop(); } });
  const results = h("section", { class: "panel results", "aria-label": "Results" });
  const state_ = { running: null, following: null, tab: "table" };

  function fillHistory() {
    replace(history, h("option", { value: "" }, "History"), readHistory().map((item) => h("option", { value: item }, item.replace(/\s+/g, " ").slice(0, 90))));
  }

  async function stop() {
    state_.following?.end();
    state_.following = null;
    cancel.hidden = !state_.running;
    if (state_.running) await post("cancel", { name: state_.running }).catch(fail);
  }

  // The parameters as they are written, so that long numbers keep all digits.
  const request = (extra) => requestText({ text: editor.area.value, ...extra }, parameters.value.trim() || "{}");

  function showError(error) {
    replace(results, h("div", { class: "content" }, h("div", { class: "error data", role: "alert" }, error.message)));
  }

  const limits = () => ({ limit: Number(limit.value) || 1000, seconds: Number(seconds.value) || 30 });

  // Shows the rows, now and whenever they change.
  function follow() {
    const body = request({ topic: "query", ...limits() });
    remember(editor.area.value);
    fillHistory();
    cancel.hidden = false;
    replace(results, h("p", { class: "loading" }, "Running…"));
    state_.following = stream(() => body, {
      receive: (_, source) => {
        remembered.answer = rowsOf(source);
        showRows(remembered.answer);
      },
      fail: showError,
    });
  }

  async function run(mayWrite = false) {
    if (state_.running) return;
    await stop();
    remembered.text = editor.area.value;
    remembered.parameters = parameters.value;
    if (live.checked) return void follow();
    state_.running = crypto.randomUUID();
    runButton.disabled = true;
    cancel.hidden = false;
    results.setAttribute("aria-busy", "true");
    const waiting = setTimeout(() => replace(results, h("p", { class: "loading" }, "Running…")), 250);
    let again = false;
    try {
      const response = await fetchRows(request({ name: state_.running, ...limits(), write: mayWrite }));
      remember(editor.area.value);
      remembered.answer = response;
      clearTimeout(waiting);
      showRows(response);
    } catch (error) {
      clearTimeout(waiting);
      if (error.answer?.statement) again = true;
      else showError(error);
    } finally {
      clearTimeout(waiting);
      state_.running = null;
      runButton.disabled = false;
      cancel.hidden = true;
      results.removeAttribute("aria-busy");
      fillHistory();
    }
    if (again) {
      replace(results);
      if (await ask("Change documents?", "This statement changes documents of the database.", [["Run it", true]])) run(true);
    }
  }

  function showRows(answer) {
    const { columns, documents, rows, isTruncated, milliseconds, changed, skipped } = answer;
    const spread = spreadDocuments(columns, documents, rows);
    const content = h("div", { class: "content", role: "tabpanel" });
    const omitted = skipped > 0 ? `, ${count(skipped)} skipped because no assignment applies to what is there` : "";
    const summary = changed !== null ? `${count(changed)} ${changed === 1 ? "document" : "documents"} changed${omitted}` : `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}`;
    const header = h("header", {}, h("h2", {}, "Results"), h("span", { class: "muted" }, summary, milliseconds !== null && `, ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`),
      milliseconds === null && h("span", { class: "badge accent" }, "live"),
      isTruncated && h("span", { class: "badge warn" }, "more rows exist: raise the limit"),
      rows.length > 0 && h("span", { class: "row push" }, exportButtons("rows", answer, spread)));
    replace(results, header);
    if (rows.length === 0) {
      results.append(changed === null ? empty("No rows", "The query has run, and no document matches.") : empty("Done", summary));
      return;
    }
    results.append(tabs("Forms of the results", [["table", "Table"], ["json", "JSON"], ["chart", "Chart"]], state_.tab, (name) => {
      state_.tab = name;
      if (name === "table") replace(content, table(spread.columns, spread.rows, {
        link: (column, value) => (spread.columns[column] === "id" && state.collection ? address("documents", state.collection, value) : null),
      }));
      else if (name === "json") replace(content, jsonText(columns, rows));
      else replace(content, chartForm(spread.columns, spread.rows));
    }), content);
  }

  function jsonText(columns, rows) {
    const lines = rows.slice(0, 2000).map((row) => write({ type: "object", members: columns.flatMap((name, column) => (row[column] === null ? [] : [[name, row[column]]])) }, 2));
    const whole = lines.join("\n");
    return [h("div", { class: "row" }, button("Copy", () => navigator.clipboard.writeText(whole).then(() => show("Copied."), fail))),
      h("pre", { class: "source", dir: "ltr", tabindex: "0" }, whole)];
  }

  async function explain() {
    await stop();
    remembered.text = editor.area.value;
    try {
      const plan = await post("explain", { text: editor.area.value });
      showPlan(plan);
    } catch (error) { showError(error); }
  }

  function showPlan(plan) {
    const steps = plan.steps.map((step) => {
      const line = h("li", {}, h("span", { class: step.kind === "scan" || step.kind === "sort" ? "badge warn" : "badge" }, step.kind), text(step.text));
      line.style.marginInlineStart = `${step.depth * 24}px`;
      return line;
    });
    const advice = plan.advice.map((item) => {
      const vector = item.dimensions ? `, ${item.dimensions} dimensions, ${item.centroids} centroids, ${item.metric}` : "";
      const what = item.path ? `${item.path}${item.expressions.length > 0 ? `: ${item.expressions.join(", ")}` : ""}` : item.expressions.join(", ");
      return h("div", { class: "advice" }, h("div", {}, h("strong", {}, "An index would help"), h("p", {}, text(`${item.reason[0].toUpperCase()}${item.reason.slice(1)}.`)),
        h("code", {}, `${item.name} on ${item.collection} (${what}${vector})`)),
      button("Create the index", () => create(item), { class: "primary", disabled: state.database.readOnly, title: state.database.readOnly ? "The database is open for reading only" : null }));
    });
    replace(results, h("header", {}, h("h2", {}, "Plan")), h("div", { class: "content" }, h("ol", { class: "plan" }, steps), advice,
      h("details", {}, h("summary", {}, "SQL and SQLite's plan"), h("pre", { class: "source", dir: "ltr" }, plan.sql))));
  }

  async function create(item) {
    try {
      await call("POST", "indexes", {}, { collection: item.collection, name: item.name, kind: item.dimensions ? "vector" : item.path ? "array" : "value", path: item.path || "", expressions: item.expressions,
        ...(item.dimensions ? { dimensions: item.dimensions, centroids: item.centroids, metric: item.metric } : {}) });
      show(`Created the index ${item.name}.`);
      await explain();
    } catch (error) { fail(error); }
  }

  fillHistory();
  if (remembered.answer) showRows(remembered.answer);
  else replace(results, empty("Nothing has been run yet", "Write a query, and press Ctrl Enter. Ctrl Space completes a word."));
  const element = h("div", { class: "view page" }, h("div", { class: "inner" },
    h("section", { class: "panel query", "aria-label": "Query", onkeydown: (event) => { if (event.key === "Escape") stop(); } },
      h("div", { class: "content" }, editor.element,
        h("div", { class: "row end" }, h("div", { class: "grow" }, field("Parameters", parameters)), field("Rows at most", limit), field("Seconds at most", seconds)),
        h("div", { class: "row" }, runButton, cancel, h("label", { class: "check", title: "Show the rows again whenever they change" }, live, "live"), button("Explain", () => explain()), history))),
    results));
  return { element, update: () => {}, end: stop };
}

// Returns the columns and rows of a table in which a document that is written as * has a column for each property that occurs in the first
// rows; its other properties are in a last column.
function spreadDocuments(columns, documents, rows) {
  if (documents.length === 0) return { columns, rows };
  const membersOf = (row, column) => (row[column] !== null && row[column].type === "object" ? row[column].members : null);
  const spread = columns.map((title, column) => {
    const plain = { titles: [title], cells: (row) => [row[column]] };
    if (!documents.includes(column)) return plain;
    const names = [...new Set(rows.slice(0, 100).flatMap((row) => (membersOf(row, column) || []).map(([name]) => name)))].sort().slice(0, 100);
    if (names.length === 0) return plain;
    const known = new Set(names);
    const rest = (row) => {
      const members = membersOf(row, column);
      if (members === null) return row[column];
      const others = members.filter(([name]) => !known.has(name));
      return others.length > 0 ? { type: "object", members: others } : null;
    };
    const hasRest = rows.some((row) => rest(row) !== null);
    const cells = (row) => {
      const values = new Map(membersOf(row, column) || []);
      return [...names.map((name) => (values.has(name) ? values.get(name) : null)), ...(hasRest ? [rest(row)] : [])];
    };
    return { titles: hasRest ? [...names, "…"] : names, cells };
  });
  return { columns: spread.flatMap(({ titles }) => titles), rows: rows.map((row) => spread.flatMap(({ cells }) => cells(row))) };
}

function chartForm(columns, rows) {
  const numeric = columns.filter((_, column) => rows.some((row) => row[column] && row[column].type === "number"));
  if (numeric.length === 0) return empty("No numbers", "A chart needs a column with numbers.");
  const labelColumn = h("select", {}, h("option", { value: "-1" }, "Row number"), columns.map((name, index) => h("option", { value: index }, name)));
  const others = columns.findIndex((name) => !numeric.includes(name));
  labelColumn.value = String(others);
  const boxes = numeric.map((name, index) => [name, h("input", { type: "checkbox", checked: index === 0 })]);
  const kind = h("select", {}, h("option", { value: "bar" }, "Bars"), h("option", { value: "line" }, "Line"));
  if (rows.length > 60) kind.value = "line";
  const place = h("div", {});
  const maximum = 500;
  function draw() {
    const label = Number(labelColumn.value);
    const used = rows.slice(0, maximum);
    const labels = used.map((row, index) => (label < 0 || row[label] === null ? String(index + 1) : row[label].type === "string" ? row[label].value : write(row[label])));
    const series = boxes.filter(([, box]) => box.checked).map(([name]) => {
      const column = columns.indexOf(name);
      return { name, values: used.map((row) => (row[column] && row[column].type === "number" ? Number(row[column].value) : NaN)) };
    });
    replace(place, series.length > 0 ? chart(kind.value, labels, series) : empty("No column is chosen", "Choose at least one column with numbers."),
      rows.length > maximum && h("p", { class: "muted small" }, `The first ${count(maximum)} rows are shown.`));
  }
  const controls = h("div", { class: "row end", onchange: draw }, field("Kind", kind), field("Labels", labelColumn),
    h("fieldset", { class: "row", "aria-label": "Columns" }, boxes.map(([name, box]) => h("label", { class: "check" }, box, text(name)))));
  draw();
  return [controls, place];
}
