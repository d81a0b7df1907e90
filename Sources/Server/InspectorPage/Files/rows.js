// Rows of queries: reading them, and tables of them. Their values are those of json.js, which keep long numbers.
import { h, button, count, text } from "./dom.js";
import { CallError } from "./api.js";
import { parse, write } from "./json.js";

// Runs a query, given as the text of the request, and returns its rows. Throws an `AbortError` once `signal` gives the request up.
export async function fetchRows(body, signal = undefined) {
  let answer;
  try {
    answer = await fetch("api/query", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError(0, { error: "The server does not answer. Is cblite still running?" });
  }
  const source = await answer.text();
  if (!answer.ok) throw new CallError(answer.status, JSON.parse(source));
  return rowsOf(source);
}

// Returns the rows of an answer.
export function rowsOf(source) {
  const members = Object.fromEntries(parse(source).members);
  const plain = (value) => JSON.parse(write(value));
  const missing = new Set(plain(members.missing));
  const columns = plain(members.columns);
  const documents = plain(members.documents);
  const rows = members.rows.items.map((row, line) => row.items.map((cell, column) => (missing.has(line * columns.length + column) ? null : cell)));
  return { columns, documents, rows, isTruncated: members.truncated.value, milliseconds: members.milliseconds ? Number(members.milliseconds.value) : null, changed: members.changed ? Number(members.changed.value) : null, skipped: members.skipped ? Number(members.skipped.value) : 0 };
}

// Returns the text of a request with members of JavaScript, and parameters that are JSON texts.
export function requestText(members, parameters) {
  const texts = Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${[...texts, `"parameters":${parameters}`].join(",")}}`;
}

export function cellText(cell) {
  if (cell === null) return h("span", { class: "missing" }, "missing");
  if (cell.type === "string") return text(cell.value);
  return h("bdi", { dir: "ltr" }, write(cell));
}

export const isNumeric = (rows, column) => rows.slice(0, 50).every((row) => row[column] === null || row[column].type === "number");

// `link` returns the address for the text of a cell, or `null`; `heads` are the contents of the heads of the columns.
export function table(columns, rows, { link = () => null, heads = columns.map((name) => text(name)), sorted = () => null } = {}, shown = 300) {
  const body = h("tbody", {});
  const add = (from, to) => {
    for (const row of rows.slice(from, to)) {
      body.append(h("tr", {}, row.map((cell, column) => {
        const address = cell && cell.type === "string" ? link(column, cell.value) : null;
        const content = address ? h("a", { href: address }, text(cell.value)) : cellText(cell);
        return h("td", { class: cell && cell.type === "number" ? "data number-cell" : "data" }, content);
      })));
    }
  };
  add(0, shown);
  const more = rows.length > shown && button(`Show the other ${count(rows.length - shown)} rows`, (event) => { add(shown, rows.length); event.target.remove(); });
  const head = columns.map((_, column) => h("th", { scope: "col", class: isNumeric(rows, column) ? "number-cell" : "", "aria-sort": sorted(column) }, heads[column]));
  return [h("div", { class: "scroll", tabindex: "0" }, h("table", {}, h("thead", {}, h("tr", {}, head)), body)), more];
}
