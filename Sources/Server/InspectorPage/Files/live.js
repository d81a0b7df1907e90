// Counters with their course, as the server sends them when they change.
import { h, bytes, count, empty, replace, text } from "./dom.js";
import { sparkline } from "./chart.js";
import { inOrder } from "./session.js";
import { stream } from "./stream.js";

const maximum = 120;

export function liveView() {
  const cards = h("div", { class: "cards" });
  const collections = h("section", { class: "panel", "aria-label": "Collections" });
  const remotes = h("section", { class: "panel", "aria-label": "Replication" });
  const state = h("p", { class: "muted small", role: "status" }, "Waiting for the server…");
  const element = h("div", { class: "view page" }, h("div", { class: "inner" }, state, cards, collections, remotes));
  // What was known at the end of each of the last seconds, and is known now.
  const samples = [];
  let second = 0;
  let last = null;

  // Begins the samples of the seconds that have passed.
  function moveOn() {
    const now = Math.floor(Date.now() / 1000);
    const passed = Math.min(now - second, maximum);
    second = now;
    for (let step = 0; step < passed && samples.length > 0; step += 1) samples.push(samples.at(-1));
    samples.splice(0, samples.length - maximum);
  }

  // How much a counter of the samples has grown in each second. It begins again when the server is started again.
  const rates = (name) => samples.slice(1).map((sample, index) => Math.max(0, sample[name] - samples[index][name]));
  // That of this second or the one before.
  const latest = (values) => (values.length > 0 ? count(Math.max(...values.slice(-2))) : "–");

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

  function draw() {
    const now = last;
    const changes = rates("sequences");
    const documents = now.collections.every((item) => item.documents === null) ? null : now.collections.reduce((sum, item) => sum + (item.documents || 0), 0);
    replace(cards,
      card("Changes per second", latest(changes), changes, `${count(samples.at(-1).sequences)} changes committed since the collections were created, by all processes`),
      card("Documents", count(documents), samples.map((sample) => sample.documents).filter((value) => value !== null), "in all collections, without tombstones"),
      card("Size of the files", bytes(now.size), samples.map((sample) => sample.size), "with the log, without blobs"),
      now.memory !== null && card("Memory", bytes(now.memory), samples.map((sample) => sample.memory), "of the process that serves this page"));
    replace(collections, h("header", {}, h("h2", {}, "Collections")), h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Collection", "Documents", "Tombstones", "Last sequence", "Purged", "Indexes"].map((name, index) => h("th", { scope: "col", class: index > 0 ? "number-cell" : "" }, name)))),
      h("tbody", {}, inOrder(now.collections).map((item) => h("tr", {}, h("td", {}, text(item.name)), [item.documents, item.tombstones, item.lastSequence, item.purged, item.indexes.length].map((value) => h("td", { class: "number-cell" }, count(value)))))))));
    drawReplication(now);
  }

  const following = stream(() => ({ topic: "counters" }), {
    receive: (now) => {
      last = now;
      moveOn();
      samples.splice(-1, 1, {
        size: now.size, memory: now.memory || 0, sequences: now.collections.reduce((sum, item) => sum + item.lastSequence, 0),
        documents: now.collections.some((item) => item.documents === null) ? null : now.collections.reduce((sum, item) => sum + item.documents, 0),
        ...now.replication,
      });
      draw();
      replace(state, "Shown as it changes.");
    },
    fail: (error) => {
      // What happens now is not known, and must not count as what happens in the second in which the server answers again.
      samples.length = 0;
      replace(state, error.message);
    },
  });
  // The course moves on while nothing changes. Nothing is asked.
  const clock = setInterval(() => {
    moveOn();
    if (!document.hidden && samples.length > 0) draw();
  }, 1000);
  return { element, update: () => {}, end: () => { clearInterval(clock); following.end(); } };
}
