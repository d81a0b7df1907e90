// Files with rows: JSON, and CSV for spreadsheets.
import { h, button } from "./dom.js";
import { state } from "./session.js";
import { write } from "./json.js";

// Spreadsheets calculate a text that begins so, also after white space, and with the wide forms of these signs: a document could contain a
// formula that sends the sheet elsewhere.
const formula = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

function field(cell) {
  if (cell === null || cell.type === "null") return "";
  const isText = cell.type === "string";
  let content = isText ? cell.value : write(cell);
  // Spreadsheets take the apostrophe for the sign of a text.
  if (isText && formula.test(content)) content = `'${content}`;
  return content === "" || /[",;\t\r\n]|^\s|\s$/.test(content) ? `"${content.replaceAll('"', '""')}"` : content;
}

// Returns rows as comma-separated values (RFC 4180), with the names of the columns first. Missing values and null are empty.
export function csv(columns, rows) {
  const titles = columns.map((name) => ({ type: "string", value: name }));
  return [titles, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

// Returns rows as an array of objects, without the missing values.
export function json(columns, rows) {
  const objects = rows.map((row) => write({ type: "object", members: columns.flatMap((name, column) => (row[column] === null ? [] : [[name, row[column]]])) }));
  return `[\n${objects.join(",\n")}\n]\n`;
}

export function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// `whole` are the rows for JSON, and `flat` those for CSV, whose columns may be other ones.
export function exportButtons(what, whole, flat = whole) {
  const name = `${state.database.name} ${what}`.replace(/[^\p{L}\p{N} _-]/gu, "_");
  return [
    button("Export JSON", () => download(`${name}.json`, "application/json", json(whole.columns, whole.rows)), { class: "small" }),
    button("Export CSV", () => download(`${name}.csv`, "text/csv", csv(flat.columns, flat.rows)), { class: "small" }),
  ];
}
