// One document: its properties as a tree or as text, its revisions and its blobs.
import { h, button, bytes, count, empty, replace, tabs, text } from "./dom.js";
import { call, get } from "./api.js";
import { ask, fail, show, state } from "./session.js";
import { parse, write } from "./json.js";
import { tree } from "./tree.js";
import { revisionsTab } from "./revisions.js";
import { blobsTab } from "./blobs.js";

// Shows the document with an ID, or a new one if `id` is `null`, in `element`. Returns an object whose `mayLeave` asks about changes.
export function documentDetail(element, collection, id, actions) {
  let record = null;
  let root = null;
  let textArea = null;
  let isChanged = false;
  let tab = "tree";
  const isNew = id === null;
  const idField = h("input", { type: "text", dir: "auto", placeholder: "ID; empty for a generated one", "aria-label": "ID of the new document" });
  const save = button("Save", () => store(), { class: "primary", title: "Ctrl S" });
  const discard = button("Discard changes", () => { isChanged = false; load(); });
  const remove = button("Delete", () => erase(), { class: "danger" });
  const problem = h("div", { hidden: true, role: "alert" });
  const content = h("div", { class: "tab-content", role: "tabpanel", tabindex: "0" });
  const isReadOnly = () => state.database.readOnly || Boolean(record && (record.deleted || record.binary));

  element.onkeydown = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      if (!save.disabled && !save.hidden) store();
    } else if (event.key === "Escape" && !event.target.closest("input, textarea, select")) {
      actions.back();
    }
  };

  function changed() {
    isChanged = true;
    drawActions();
  }

  function drawActions() {
    save.disabled = !isChanged && !isNew;
    discard.disabled = !isChanged;
    save.hidden = discard.hidden = isReadOnly();
    discard.hidden = discard.hidden || isNew;
    remove.hidden = isNew || state.database.readOnly || Boolean(record && record.deleted);
  }

  function complain(...children) {
    problem.hidden = children.length === 0;
    problem.className = "error";
    replace(problem, children);
  }

  function draw() {
    complain();
    const facts = record && [
      ["Revision", h("code", {}, record.rev)], ["Sequence", count(record.sequence)], ["Size", bytes(record.size)],
      record.expiration !== null && ["Expires", new Date(record.expiration).toISOString()],
    ];
    replace(element, h("header", {},
      h("div", { class: "row" }, button("Back", () => actions.back(), { class: "back" }),
        isNew ? h("h2", {}, "New document") : h("h2", {}, text(id)),
        record && record.deleted && h("span", { class: "badge bad" }, "deleted"),
        record && record.conflict && h("span", { class: "badge warn" }, "conflict"),
        record && record.binary && h("span", { class: "badge", title: "It has binary values, which JSON cannot represent, so it cannot be changed here." }, "binary values: read-only")),
      facts && h("div", { class: "meta" }, facts.filter(Boolean).map(([name, value]) => h("span", {}, `${name} `, value))),
      isNew && idField,
      h("div", { class: "actions" }, save, discard, remove), problem),
    tabs("Parts of the document", isNew ? [["tree", "Properties"], ["text", "JSON"]] : [
      ["tree", "Properties"], ["text", "JSON"], ["revisions", "Revisions"], ["blobs", record.blobs.length > 0 ? `Blobs (${record.blobs.length})` : "Blobs"],
    ], tab, choose), content);
    drawActions();
  }

  // Takes the text of the JSON tab over into the tree. Returns `false` if it is not valid.
  function takeText() {
    if (!textArea) return true;
    try {
      const value = parse(textArea.value);
      if (value.type !== "object") throw new Error("A document must be a JSON object");
      root = value;
      return true;
    } catch (error) {
      complain(error.message);
      if (error.position !== undefined) textArea.setSelectionRange(error.position, error.position + 1);
      textArea.focus();
      return false;
    }
  }

  function choose(name) {
    if (textArea && name !== "text" && isChanged && !takeText()) {
      queueMicrotask(() => element.querySelector(".tabs").select("text"));
      return;
    }
    if (name === "text" && textArea) return;
    tab = name;
    textArea = null;
    content.setAttribute("aria-label", name);
    if (name === "tree") replace(content, root.members.length === 0 && isReadOnly() ? empty("No properties") : tree(root, isReadOnly(), changed));
    else if (name === "text") {
      textArea = h("textarea", {
        class: "json-text mono", spellcheck: "false", dir: "ltr", "aria-label": "Properties as JSON", value: write(root, 2), readonly: isReadOnly(),
        oninput: () => { complain(); changed(); },
      });
      replace(content, textArea);
    } else if (name === "revisions") revisionsTab(content, collection, id);
    else blobsTab(content, record.blobs, state.database.readOnly || record.deleted ? null : upload);
  }

  async function load() {
    if (isNew) {
      root = { type: "object", members: [] };
      draw();
      idField.focus();
      return;
    }
    try {
      record = await get("document", { collection, id });
      root = parse(record.body);
      textArea = null;
      draw();
    } catch (error) {
      replace(element, h("header", {}, button("Back", () => actions.back(), { class: "back" })), empty("The document cannot be shown", error.message));
    }
  }

  async function store(base = record ? record.rev : null) {
    if (!takeText()) return;
    if (element.querySelector(".invalid")) {
      complain("A number or key is not valid: it is marked.");
      return;
    }
    const target = isNew ? idField.value || crypto.randomUUID() : id;
    save.disabled = true;
    try {
      const saved = await call("PUT", "document", { collection, id: target, rev: base }, write(root));
      isChanged = false;
      show(`Saved as revision ${saved.rev.split("-")[0]}.`);
      if (!isNew) await load();
      actions.saved(target);
    } catch (error) {
      if (error.status === 409) {
        const current = error.answer.current;
        complain(`${error.message}: `, isNew ? "there is a document with this ID." : [
          h("p", {}, "The current revision is ", h("code", {}, current || "unknown"), "."),
          h("div", { class: "row" }, button("Load it", () => { isChanged = false; load(); }),
            current && button("Save over it", () => store(current), { class: "danger" })),
        ]);
      } else complain(error.message);
      drawActions();
    }
  }

  // Stores a file as the blob of a property. The other properties stay as they are stored.
  async function upload(property, file) {
    if (isChanged) throw new Error("Save or discard the changes of the document first.");
    if (root.members.some(([key]) => key === property)
      && !(await ask(`Replace ${property}?`, "The document has this property. The blob replaces its value.", [["Replace", true]]))) return;
    const saved = await call("POST", "blob", { collection, id, rev: record.rev, property, type: file.type }, file);
    show(`Saved as revision ${saved.rev.split("-")[0]}.`);
    await load();
    actions.saved(id);
  }

  async function erase() {
    const answer = await ask(`Delete ${id}?`, "A tombstone replaces the document. It is replicated, so that other databases delete the document too.", [["Delete", true, "primary"]]);
    if (!answer) return;
    try {
      await call("DELETE", "document", { collection, id, rev: record.rev });
      isChanged = false;
      show("Deleted.");
      actions.deleted();
    } catch (error) { complain(error.message); }
  }

  replace(element, h("p", { class: "loading" }, "Reading…"));
  load();
  return {
    async mayLeave() {
      if (!isChanged) return true;
      const answer = await ask("Discard the changes?", "The document has changes that are not saved.", [["Discard", true]]);
      if (answer) isChanged = false;
      return Boolean(answer);
    },
  };
}
