// The revision tree of a document as a drawing, and the properties of a revision.
import { h, empty, replace } from "./dom.js";
import { get } from "./api.js";
import { parse, write } from "./json.js";

const [rowHeight, laneWidth, margin] = [44, 26, 20];

export async function revisionsTab(element, collection, id) {
  replace(element, h("p", { class: "loading" }, "Reading…"));
  try {
    const { revisions } = await get("revisions", { collection, id });
    const source = h("div", { "aria-live": "polite" }, h("p", { class: "muted" }, "Choose a revision whose properties are still stored."));
    replace(element, h("div", { class: "drawing" }, drawing(layout(revisions), (revision, mark) => choose(revision, mark, source, collection, id))), source);
  } catch (error) {
    replace(element, empty("The revisions cannot be read", error.message));
  }
}

// Gives each revision a row, newest first, and each branch a lane. The branch of the current revision has the first lane.
export function layout(revisions) {
  const generation = (revision) => Number(revision.rev.split("-")[0]);
  const byID = new Map(revisions.map((revision) => [revision.rev, { ...revision, lane: null }]));
  const current = revisions[0]?.rev;
  let lanes = 0;
  const leaves = [...byID.values()].filter((revision) => revision.leaf).sort((left, right) =>
    (right.rev === current) - (left.rev === current) || generation(right) - generation(left));
  for (const leaf of leaves) {
    for (let step = leaf; step && step.lane === null; step = byID.get(step.parent)) step.lane = lanes;
    lanes += 1;
  }
  const rows = [...byID.values()].sort((left, right) => generation(right) - generation(left) || left.lane - right.lane);
  rows.forEach((revision, index) => {
    revision.row = index;
    revision.isCurrent = revision.rev === current;
    revision.lane ??= 0;
  });
  return { rows, byID, lanes: Math.max(1, lanes) };
}

function drawing({ rows, byID, lanes }, choose) {
  const textStart = margin * 2 + lanes * laneWidth;
  const width = textStart + 540;
  const x = (revision) => margin + revision.lane * laneWidth;
  const y = (revision) => margin + revision.row * rowHeight;
  const svg = h("svg", {
    width, height: rows.length * rowHeight + margin, viewBox: `0 0 ${width} ${rows.length * rowHeight + margin}`, role: "group",
    "aria-label": "Revision tree, newest first", direction: "ltr",
  });
  for (const revision of rows) {
    const parent = byID.get(revision.parent);
    if (!parent) continue;
    const [x1, y1, x2, y2] = [x(revision), y(revision), x(parent), y(parent)];
    svg.append(h("path", { class: "rev-line", d: x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}V${y2 - 24}C${x1} ${y2 - 8} ${x2} ${y2 - 16} ${x2} ${y2}` }));
  }
  for (const revision of rows) {
    const kinds = ["rev", revision.isCurrent && "current", revision.deleted && "deleted", revision.conflict && "conflict", revision.body && "stored"];
    const notes = [
      revision.isCurrent && "current", revision.deleted && "deleted", revision.conflict && "in conflict", revision.closed && "closed branch",
      revision.rejected && "rejected by a server", revision.blobs && "blobs", revision.remotes.length > 0 && `known to remote ${revision.remotes.join(", ")}`,
      revision.sequence > 0 && `sequence ${revision.sequence}`, !revision.body && "properties not stored any more",
    ].filter(Boolean).join(" · ");
    const mark = h("g", {
      class: kinds.filter(Boolean).join(" "), role: revision.body ? "button" : "img", tabindex: revision.body ? "0" : null,
      "aria-label": `Revision ${revision.rev}, ${notes}`, "aria-pressed": revision.body ? "false" : null,
    }, h("rect", { class: "rev-focus", x: textStart - 10, y: y(revision) - 18, width: 540, height: 36, rx: 6 }),
    h("circle", { class: "rev-dot", cx: x(revision), cy: y(revision), r: 6 }),
    h("text", { x: textStart, y: y(revision) - 1 }, revision.rev), h("text", { class: "note", x: textStart, y: y(revision) + 13 }, notes));
    if (revision.body) {
      mark.addEventListener("click", () => choose(revision, mark));
      mark.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(revision, mark);
      });
    }
    svg.append(mark);
  }
  return svg;
}

async function choose(revision, mark, element, collection, id) {
  for (const other of mark.parentElement.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", String(other === mark));
  try {
    const found = await get("revision", { collection, id, rev: revision.rev });
    replace(element, h("h3", {}, revision.rev), h("pre", { class: "source", tabindex: "0" }, write(parse(found.body), 2)));
  } catch (error) {
    replace(element, h("p", { class: "error" }, error.message));
  }
}
