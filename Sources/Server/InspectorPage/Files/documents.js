// Collections with their schema, the documents of one of them, and one document.
import { h, count, empty, replace, text } from "./dom.js";
import { get } from "./api.js";
import { address, fail, setCollections, state } from "./session.js";
import { stream } from "./stream.js";
import { DocumentList } from "./list.js";
import { documentDetail } from "./document.js";

export function documentsView(route) {
  const side = h("aside", { class: "side", "aria-label": "Collections" });
  const detail = h("section", { class: "detail", "aria-label": "Document" });
  const element = h("div", { class: "view documents" });
  const schemas = new Map();
  let open = null;
  let following = null;
  let hasEnded = false;
  // The address of what is shown, which is restored if the user does not want to leave it.
  let place = "";

  const list = new DocumentList({
    open: (id) => { location.hash = address("documents", state.collection, id); },
    create: () => { location.hash = address("documents", state.collection, "", "new"); },
  });
  element.append(side, list.element, detail);

  function drawSide() {
    const hadFocus = side.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    const items = state.collections.map((item) => {
      const control = h("button", {
        type: "button", class: "item", "aria-pressed": String(item.name === state.collection), "data-name": item.name,
        onclick: () => { location.hash = address("documents", item.name); },
      }, text(item.name), h("span", {}, count(item.documents)));
      control.title = `${count(item.documents)} documents, ${count(item.tombstones)} tombstones, last sequence ${count(item.lastSequence)}`;
      return control;
    });
    replace(side, h("h2", {}, "Collections"), items, h("h2", { class: "schema-title" }, "Properties"), schemaOf(state.collection));
    if (hadFocus) [...side.querySelectorAll("button")].find((control) => control.dataset.name === hadFocus)?.focus();
  }

  function schemaOf(name) {
    const schema = schemas.get(name);
    if (!schema) return h("p", { class: "muted small schema-title" }, "Reading a sample…");
    if (schema.properties.length === 0) return h("p", { class: "muted small schema-title" }, "No properties yet.");
    return h("ul", { class: "schema" }, schema.properties.slice(0, 200).map((property) => {
      const part = schema.documents > 0 ? property.documents / schema.documents : 0;
      const share = h("i", {});
      share.style.inlineSize = `${Math.round(part * 100)}%`;
      return h("li", { title: property.example ? `For example ${property.example}` : "" },
        h("div", { class: "path" }, text(property.path), h("span", { class: "muted small" }, `${part > 0 && part < 0.01 ? "<1" : Math.round(part * 100)} %`)),
        h("div", { class: "types" }, property.types.map((type) => type.name).join(", ")),
        h("span", { class: "share", "aria-hidden": "true" }, share));
    }), h("li", { class: "muted small" }, `From a sample of ${count(schema.documents)} documents.`));
  }

  async function readSchema(name) {
    if (!name || schemas.has(name)) return;
    try {
      schemas.set(name, await get("schema", { collection: name }));
      if (!hasEnded && name === state.collection) drawSide();
    } catch (error) { fail(error); }
  }

  const chosen = () => state.collections.find((item) => item.name === state.collection);

  // Shows the chosen collection, and follows its changes. The list is read first, because the stream lets the server count all documents.
  async function follow() {
    const { name, lastSequence } = chosen() ?? {};
    if (!name || name === list.collection) return;
    following?.end();
    following = null;
    let last = lastSequence;
    await list.show(name, chosen());
    if (hasEnded || name !== state.collection || following) return;
    following = stream(() => ({ topic: "documents", collection: name, after: last }), {
      receive: ({ collections, documents, reload }) => {
        const before = JSON.stringify(state.collections);
        setCollections(collections);
        last = collections.find((item) => item.name === name)?.lastSequence ?? last;
        if (JSON.stringify(state.collections) !== before) drawSide();
        list.setTotal(chosen());
        if (reload) list.refresh();
        else list.apply(documents);
      },
    });
  }

  async function update([name, id, mode]) {
    if (!(await (open?.mayLeave() ?? true))) {
      history.replaceState(null, "", place);
      return;
    }
    place = location.hash || address("documents");
    const isOther = name && name !== state.collection;
    if (isOther && state.collections.some((item) => item.name === name)) state.collection = name;
    drawSide();
    follow();
    readSchema(state.collection);
    const isOpen = Boolean(name) && (Boolean(id) || mode === "new");
    element.classList.toggle("open", isOpen);
    open = null;
    if (!isOpen) {
      list.select(null);
      replace(detail, state.collection
        ? empty("No document is open", "Choose one in the list: its properties, revisions and blobs are shown here.")
        : empty("There are no collections", "This database has no collection to show."));
      return;
    }
    list.select(id);
    open = documentDetail(detail, state.collection, mode === "new" ? null : id, {
      back: () => { location.hash = address("documents", state.collection); list.focus(); },
      saved: (savedID) => { if (savedID !== id) location.hash = address("documents", state.collection, savedID); },
      deleted: () => { location.hash = address("documents", state.collection); },
    });
  }

  update(route);
  return { element, update, mayLeave: () => open?.mayLeave() ?? true, end: () => { hasEnded = true; following?.end(); list.end(); } };
}
