// The last lines of the log of this process.
import { h, button, empty, replace, time } from "./dom.js";
import { stream } from "./stream.js";

const levels = ["debug", "verbose", "info", "warning", "error"];

export function logView() {
  let lines = [];
  let isPaused = false;
  const level = h("select", { "aria-label": "Least level", onchange: () => draw() }, levels.map((name) => h("option", { value: name, selected: name === "verbose" }, name)));
  const search = h("input", { type: "search", placeholder: "Only lines with this text", "aria-label": "Only lines with this text", "data-search": "", class: "grow", oninput: () => draw() });
  const pause = button("Pause", () => {
    isPaused = !isPaused;
    replace(pause, isPaused ? "Continue" : "Pause");
    pause.setAttribute("aria-pressed", String(isPaused));
    draw();
  }, { "aria-pressed": "false" });
  const body = h("tbody", {});
  const table = h("table", { class: "log" }, body);
  const place = h("div", { class: "scroll", tabindex: "0", role: "log", "aria-label": "Lines of the log" });
  const element = h("div", { class: "view page" }, h("div", { class: "inner" }, h("section", { class: "panel", "aria-label": "Log" },
    h("header", {}, h("h2", {}, "Log"), search, level, pause, button("Clear", () => { lines = lines.slice(-1).map((line) => ({ ...line, isHidden: true })); draw(); })), place)));

  function draw() {
    if (isPaused) return;
    const least = levels.indexOf(level.value);
    const wanted = search.value.toLowerCase();
    const shown = lines.filter((line) => !line.isHidden && levels.indexOf(line.level) >= least && line.text.toLowerCase().includes(wanted)).slice(-500);
    if (shown.length === 0) return void replace(place, empty("No lines", "This process has logged nothing that matches."));
    replace(body, shown.reverse().map((line) => h("tr", { class: `level-${line.level}` }, h("td", { class: "when" }, time(line.time).slice(11)), h("td", { class: `level-${line.level}` }, line.level),
      h("td", { class: "domain" }, line.domain), h("td", { class: "what" }, h("bdi", { dir: "auto" }, line.text)))));
    if (!table.isConnected) replace(place, table);
  }

  const following = stream(() => ({ topic: "log", after: lines.at(-1)?.number ?? 0 }), {
    receive: (found) => {
      lines = lines.concat(found.lines).slice(-2000);
      draw();
    },
  });
  draw();
  return { element, update: () => {}, end: () => following.end() };
}
