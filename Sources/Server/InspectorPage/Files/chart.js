// Bar and line charts as SVG.
import { h, count } from "./dom.js";

const [width, plotHeight, top, right] = [720, 212, 12, 12];
const longestLabel = 60;
// The cosine of the angle at which long labels are drawn, 45 degrees.
const slope = Math.SQRT1_2;

const canvas = document.createElement("canvas").getContext("2d");

// The width of a label, whose font is that of style.css.
function widthOf(label) {
  canvas.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(label).width;
}

export const short = (number) => {
  const size = Math.abs(number);
  if (size >= 1e9) return `${+(number / 1e9).toFixed(1)}G`;
  if (size >= 1e6) return `${+(number / 1e6).toFixed(1)}M`;
  if (size >= 1e4) return `${+(number / 1e3).toFixed(1)}k`;
  return size < 10 ? String(+number.toPrecision(3)) : String(+number.toFixed(0));
};

// Rounds up to 1, 2 or 5 times a power of ten.
function step(range) {
  const power = 10 ** Math.floor(Math.log10(range / 4 || 1));
  return [1, 2, 5, 10].map((factor) => factor * power).find((size) => range / size <= 5) || power * 10;
}

// `series` is a list of { name, values }; values that are no number are gaps.
export function chart(kind, labels, series) {
  const numbers = series.flatMap((one) => one.values).filter(Number.isFinite);
  let low = Math.min(0, ...numbers);
  let high = Math.max(0, ...numbers);
  if (high === low) high = low + 1;
  const size = step(high - low);
  low = Math.floor(low / size) * size;
  high = Math.ceil(high / size) * size;
  const values = [];
  for (let value = low; value <= high + size / 2; value += size) values.push(value);
  // Labels are whole: if they do not fit beside each other they are tilted, and the drawing gets the space that they need.
  const every = Math.ceil(labels.length / 8);
  const shown = labels.map((label, index) => (index % every !== 0 ? null : label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label));
  const longest = Math.max(0, ...shown.filter((label) => label !== null).map(widthOf));
  const forValues = Math.max(48, ...values.map((value) => widthOf(short(value)))) + 16;
  const isTilted = longest > ((width - right - forValues) / Math.max(1, labels.length)) * every - 8;
  const left = isTilted ? Math.max(forValues, longest * slope) : forValues;
  const bottom = isTilted ? 24 + longest * slope : 36;
  const height = top + plotHeight + bottom;
  const y = (value) => top + plotHeight * (1 - (value - low) / (high - low));
  const slot = (width - right - left) / Math.max(1, labels.length);
  const x = (index) => left + slot * (index + 0.5);
  const svg = h("svg", {
    class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", direction: "ltr",
    "aria-label": `${kind === "bar" ? "Bar" : "Line"} chart of ${series.map((one) => one.name).join(", ")}, ${count(labels.length)} values`,
  });
  for (const value of values) {
    svg.append(h("line", { class: "axis", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      h("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, short(value)));
  }
  shown.forEach((label, index) => {
    if (label === null) return;
    const [half, place] = [widthOf(label) / 2, top + plotHeight + 18];
    const middle = Math.min(Math.max(x(index), half), width - half);
    svg.append(h("text", isTilted
      ? { class: "tick", x: x(index) + 4, y: place - 4, "text-anchor": "end", transform: `rotate(-45 ${x(index) + 4} ${place - 4})` }
      : { class: "tick", x: middle, y: place, "text-anchor": "middle" }, label, h("title", { svg: true }, labels[index])));
  });
  series.forEach((one, number) => {
    const group = h("g", { class: `series-${number % 4}` });
    if (kind === "bar") {
      const bar = Math.max(1, Math.min(48, slot * 0.8) / series.length);
      one.values.forEach((value, index) => {
        if (!Number.isFinite(value)) return;
        const start = x(index) - (bar * series.length) / 2 + bar * number;
        group.append(h("rect", { class: "mark", x: start, width: Math.max(1, bar - 1), y: Math.min(y(0), y(value)), height: Math.max(1, Math.abs(y(value) - y(0))), rx: Math.min(2, bar / 4) },
          h("title", { svg: true }, `${labels[index]}: ${value}`)));
      });
    } else {
      let path = "";
      one.values.forEach((value, index) => {
        if (Number.isFinite(value)) path += `${path && Number.isFinite(one.values[index - 1]) ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      });
      group.append(h("path", { class: "line", d: path }));
      if (labels.length <= 60) one.values.forEach((value, index) => {
        if (Number.isFinite(value)) group.append(h("circle", { class: "mark", cx: x(index), cy: y(value), r: 3 }, h("title", { svg: true }, `${labels[index]}: ${value}`)));
      });
    }
    svg.append(group);
  });
  const legend = series.length > 1 && h("div", { class: "legend" },
    series.map((one, number) => h("span", { class: `series-${number % 4}` }, h("i", {}), h("bdi", {}, one.name))));
  return h("figure", {}, h("div", { class: "scroll", tabindex: "0" }, svg), legend);
}

// A small line without axes.
export function sparkline(values, label) {
  const [w, ht] = [280, 56];
  const high = Math.max(...values, 0);
  const low = Math.min(...values, high);
  const range = high - low || 1;
  const points = values.map((value, index) => [
    values.length > 1 ? (index / (values.length - 1)) * w : w, ht - 4 - ((value - low) / range) * (ht - 8),
  ].map((number) => number.toFixed(1)).join(" "));
  const svg = h("svg", { class: "chart", viewBox: `0 0 ${w} ${ht}`, role: "img", "aria-label": label, direction: "ltr", preserveAspectRatio: "none" });
  if (points.length > 1) {
    svg.append(h("path", { class: "area", d: `M0 ${ht}L${points.join("L")}L${w} ${ht}Z` }), h("path", { class: "line", d: `M${points.join("L")}`, "vector-effect": "non-scaling-stroke" }));
  }
  return svg;
}
