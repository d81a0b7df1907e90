// A list of documents of any number: pages are fetched by ID while it is scrolled, and only the visible entries are elements.
import { h, button, bytes, count, empty, replace, text } from "./dom.js";
import { get } from "./api.js";
import { state } from "./session.js";

const height = 58;
const pageLength = 200;

export class DocumentList {
  constructor(actions) {
    this.actions = actions;
    this.documents = [];
    this.collection = null;
    this.selected = null;
    this.cursor = -1;
    this.search = h("input", {
      type: "search", placeholder: "Go to an ID", "aria-label": "Go to the first ID from this one on", "data-search": "", dir: "auto",
      oninput: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.reload(), 160); },
      onkeydown: (event) => { if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); this.focus(); } },
    });
    this.onlyPrefix = h("input", { type: "checkbox", onchange: () => this.reload() });
    this.withDeleted = h("input", { type: "checkbox", onchange: () => this.reload() });
    this.space = h("div", { class: "space" });
    this.scroller = h("div", {
      class: "list", role: "listbox", tabindex: "0", "aria-label": "Documents", onscroll: () => this.draw(), onkeydown: (event) => this.key(event),
    }, this.space);
    this.status = h("div", { class: "list-state", role: "status" });
    this.element = h("section", { class: "list-pane", "aria-label": "List of documents" },
      h("div", { class: "list-tools" },
        h("div", { class: "row" }, h("div", { class: "grow row" }, this.search),
          !state.database.readOnly && button("New", () => actions.create(), { title: "Create a document" })),
        h("div", { class: "row small" },
          h("label", { class: "check" }, this.onlyPrefix, "only IDs that begin so"),
          h("label", { class: "check" }, this.withDeleted, "deleted"))),
      this.scroller, this.status);
    this.search.classList.add("grow");
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.scroller);
  }

  end() {
    this.observer.disconnect();
    this.request?.abort();
  }

  show(collection, information) {
    if (collection === this.collection) return;
    this.collection = collection;
    this.search.value = "";
    this.setTotal(information);
    this.reload();
  }

  setTotal(information) {
    this.total = information ? information.documents : null;
    this.drawStatus();
  }

  async reload() {
    this.request?.abort();
    this.request = null;
    this.documents = [];
    this.hasMore = true;
    this.isLoaded = false;
    this.cursor = -1;
    this.scroller.scrollTop = 0;
    await this.fetchPage();
  }

  async fetchPage() {
    if (this.request || !this.hasMore || !this.collection) return;
    const request = new AbortController();
    this.request = request;
    const isFirst = this.documents.length === 0;
    try {
      const search = this.search.value;
      const page = await get("documents", {
        collection: this.collection, limit: isFirst ? 60 : pageLength, deleted: this.withDeleted.checked ? "true" : "",
        after: isFirst ? "" : this.documents[this.documents.length - 1].id, from: isFirst ? search : "",
        prefix: this.onlyPrefix.checked ? search : "",
      }, request.signal);
      if (this.request !== request) return;
      this.documents.push(...page.documents);
      this.hasMore = page.more;
      this.isLoaded = true;
      this.failure = null;
    } catch (error) {
      if (error.name === "AbortError") return;
      this.hasMore = false;
      this.failure = error;
    }
    this.request = null;
    this.draw();
    this.drawStatus();
  }

  drawStatus() {
    const loaded = this.documents.length;
    const of = this.total === null || this.total === undefined ? "" : ` of ${count(this.total)}`;
    replace(this.status, this.hasMore || this.search.value ? `${count(loaded)}${of} documents read` : `${count(loaded)} documents`);
  }

  draw() {
    if (this.failure) return void replace(this.space, h("p", { class: "error" }, this.failure.message));
    if (this.isLoaded && this.documents.length === 0) {
      this.space.style.blockSize = "auto";
      return void replace(this.space, empty(this.search.value ? "No such ID" : "No documents", this.search.value
        ? "No ID is at or after this one." : "This collection is empty."));
    }
    this.space.style.blockSize = `${this.documents.length * height}px`;
    const top = this.scroller.scrollTop;
    const first = Math.max(0, Math.floor(top / height) - 6);
    const last = Math.min(this.documents.length, Math.ceil((top + this.scroller.clientHeight) / height) + 6);
    const entries = [];
    for (let index = first; index < last; index += 1) entries.push(this.entry(index));
    replace(this.space, entries);
    const active = this.cursor >= first && this.cursor < last ? `entry-${this.cursor}` : "";
    if (active) this.scroller.setAttribute("aria-activedescendant", active);
    else this.scroller.removeAttribute("aria-activedescendant");
    if (last > this.documents.length - 80 && this.hasMore && this.isLoaded) this.fetchPage();
  }

  entry(index) {
    const item = this.documents[index];
    const isSelected = index === this.cursor || (this.cursor < 0 && item.id === this.selected);
    const entry = h("div", {
      class: "entry", role: "option", id: `entry-${index}`, "aria-selected": String(isSelected), "aria-posinset": index + 1,
      "aria-setsize": this.hasMore ? -1 : this.documents.length, onclick: () => this.choose(index),
    }, h("div", { class: "head" }, text(item.id),
      item.conflict && h("span", { class: "badge warn" }, "conflict"), item.deleted && h("span", { class: "badge bad" }, "deleted"),
      item.damaged && h("span", { class: "badge bad" }, "damaged"), item.blobs && h("span", { class: "badge" }, "blob")),
    h("bdi", { class: "preview", dir: "auto" }, item.preview === null ? bytes(item.size) : item.preview));
    entry.style.insetBlockStart = `${index * height}px`;
    return entry;
  }

  choose(index) {
    this.cursor = index;
    this.selected = this.documents[index].id;
    this.draw();
    this.actions.open(this.selected);
  }

  select(id) {
    this.selected = id;
    if (this.cursor >= 0 && this.documents[this.cursor]?.id !== id) this.cursor = -1;
    this.draw();
  }

  focus() {
    this.scroller.focus();
    if (this.cursor < 0 && this.documents.length > 0) {
      this.cursor = Math.max(0, this.documents.findIndex((item) => item.id === this.selected));
      this.draw();
    }
  }

  key(event) {
    const rows = Math.max(1, Math.floor(this.scroller.clientHeight / height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: rows, PageUp: -rows, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.cursor >= 0) this.choose(this.cursor);
      return;
    }
    if (!(event.key in steps) || this.documents.length === 0) return;
    event.preventDefault();
    this.cursor = Math.min(this.documents.length - 1, Math.max(0, this.cursor + steps[event.key]));
    const top = this.cursor * height;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    if (top + height > this.scroller.scrollTop + this.scroller.clientHeight) this.scroller.scrollTop = top + height - this.scroller.clientHeight;
    this.draw();
  }
}
