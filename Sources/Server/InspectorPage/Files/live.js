// Counters that are read every second, with their course.
import { h, bytes, count, empty, replace, text } from "./dom.js";
import { get } from "./api.js";
import { sparkline } from "./chart.js";

const maximum = 120;
const samples = [];

export function liveView() {
  const cards = h("div", { class: "cards" });
  const collections = h("section", { class: "panel", "aria-label": "Collections" });
  const remotes = h("section", { class: "panel", "aria-label": "Replication" });
  const state = h("p", { class: "muted small", role: "status" }, "Reading every second…");
  const element = h("div", { class: "view page" }, h("div", { class: "inner" }, state, cards, collections, remotes));
  let timer = null;
  let hasEnded = false;

  // How much a counter of the samples has grown per second. It begins again when the server is started again.
  function rates(name) {
    return samples.slice(1).map((sample, index) => {
      const before = samples[index];
      const passed = Math.max(0.001, sample.time - before.time);
      return Math.max(0, sample[name] - before[name]) / passed;
    });
  }

  const latest = (values) => (values.length > 0 ? count(Math.round(values[values.length - 1])) : "–");

  const card = (title, value, values, detail) => h("section", { class: "panel card", "aria-label": title },
    h("h3", { class: "muted" }, title), h("div", { class: "big" }, value), sparkline(values, `${title} in the last ${samples.length} seconds`), h("p", { class: "muted small" }, detail));

  function replicationCards({ clients, sent, received, refused, failures }) {
    const [sentRates, receivedRates] = [rates("sent"), rates("received")];
    const total = (number, verb) => `${count(number)} ${verb} since the start of the process`;
    return h("div", { class: "cards" },
      card("Connected clients", count(clients), samples.map((sample) => sample.clients), "that replicate at the moment"),
      card("Sent per second", latest(sentRates), sentRates, total(sent, "documents sent")),
      card("Received per second", latest(receivedRates), receivedRates, total(received, "documents received")),
      card("Failures", count(failures), samples.map((sample) => sample.failures), `connections that ended with an error; ${total(refused, "refusals of documents")}`));
  }

  function drawReplication({ replication, remotes: known }) {
    replace(remotes, h("header", {}, h("h2", {}, "Replication")), replication
      ? replicationCards(replication)
      : h("p", { class: "note" }, "No replicator runs in this process. Replications by other processes are not counted here."),
    known.length === 0
      ? !replication && empty("Never replicated", "When this database is replicated, the other databases are listed here.")
      : h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Number"), h("th", { scope: "col" }, "Remote database"))),
        h("tbody", {}, known.map((remote) => h("tr", {}, h("td", {}, remote.number), h("td", { class: "data" }, text(remote.url))))))));
  }

  function draw(now) {
    const last = samples[samples.length - 1];
    const changes = rates("sequences");
    const documents = now.collections.every((item) => item.documents === null) ? null : now.collections.reduce((sum, item) => sum + (item.documents || 0), 0);
    replace(cards,
      card("Changes per second", latest(changes), changes, `${count(last.sequences)} changes committed since the collections were created, by all processes`),
      card("Documents", count(documents), samples.map((sample) => sample.documents).filter((value) => value !== null), "in all collections, without tombstones"),
      card("Size of the files", bytes(now.size), samples.map((sample) => sample.size), "with the log, without blobs"),
      now.memory !== null && card("Memory", bytes(now.memory), samples.map((sample) => sample.memory), "of the process that serves this page"));
    replace(collections, h("header", {}, h("h2", {}, "Collections")), h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Collection", "Documents", "Tombstones", "Last sequence", "Purged", "Indexes"].map((name, index) => h("th", { scope: "col", class: index > 0 ? "number-cell" : "" }, name)))),
      h("tbody", {}, now.collections.map((item) => h("tr", {}, h("td", {}, text(item.name)), [item.documents, item.tombstones, item.lastSequence, item.purged, item.indexes.length].map((value) => h("td", { class: "number-cell" }, count(value)))))))));
    drawReplication(now);
  }

  async function read() {
    try {
      const now = await get("counters");
      if (hasEnded) return;
      samples.push({
        time: now.time, size: now.size, memory: now.memory || 0, sequences: now.collections.reduce((sum, item) => sum + item.lastSequence, 0),
        documents: now.collections.some((item) => item.documents === null) ? null : now.collections.reduce((sum, item) => sum + item.documents, 0),
        ...now.replication,
      });
      if (samples.length > maximum) samples.shift();
      if (!document.hidden) draw(now);
      replace(state, "Read every second.");
    } catch (error) { replace(state, error.message); }
    if (!hasEnded) timer = setTimeout(read, 1000);
  }

  read();
  return { element, update: () => {}, end: () => { hasEnded = true; clearTimeout(timer); } };
}
