// A list of documents of any number: pages are fetched by ID while it is scrolled, and only the visible entries are elements.
import { h, button, bytes, count, empty, replace, text } from "./dom.js";
import { get } from "./api.js";
import { state } from "./session.js";

const height = 58;
const pageLength = 200;

// Whether an ID is before another one in the order of the database: that of the bytes in UTF-8, so that of the code points.
function precedes(left, right) {
  const [all, others] = [[...left], [...right]];
  const index = all.findIndex((character, place) => character !== others[place]);
  return index < 0 ? all.length < others.length : index < others.length && all[index].codePointAt(0) < others[index].codePointAt(0);
}

export class DocumentList {
  constructor(actions) {
    this.actions = actions;
    this.documents = [];
    // Changes that came while a page was being read, and whether all pages must be read again.
    this.changes = [];
    this.isOutdated = false;
    this.collection = null;
    this.selected = null;
    this.cursor = -1;
    this.search = h("input", {
      type: "search", placeholder: "Go to an ID", "aria-label": "Go to the first ID from this one on", "data-search": "", dir: "auto",
      oninput: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.reload(), 160); },
      onkeydown: (event) => {
        if (event.key !== "ArrowDown" && event.key !== "Enter") return;
        event.preventDefault();
        if (event.key === "Enter") this.openExactly();
        else this.focus();
      },
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

  // Opens the document with the ID that is typed. If there is none, the list of those that follow takes the focus.
  async openExactly() {
    clearTimeout(this.timer);
    const wanted = this.search.value;
    await this.reload();
    if (this.search.value !== wanted) return;
    if (wanted !== "" && this.documents[0]?.id === wanted) this.choose(0);
    this.focus();
  }

  end() {
    this.observer.disconnect();
    this.request?.abort();
  }

  async show(collection, information) {
    this.collection = collection;
    this.search.value = "";
    this.setTotal(information);
    await this.reload();
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
    this.changes = [];
    this.isOutdated = false;
    this.cursor = -1;
    this.scroller.scrollTop = 0;
    await this.fetchPage();
  }

  async fetchPage() {
    if (this.request || !this.hasMore || !this.collection) return;
    await this.read(this.documents, this.documents.length + 1);
  }

  // Reads again what has been read.
  async refresh() {
    if (this.request) this.isOutdated = true;
    else await this.read([], Math.max(1, this.documents.length));
  }

  // Adds pages to documents that have been read, until there are as many as wanted, and shows them.
  async read(documents, wanted) {
    const request = new AbortController();
    this.request = request;
    try {
      let page = null;
      do {
        page = await this.page(documents.at(-1), request.signal);
        if (this.request !== request) return;
        documents.push(...page.documents);
      } while (page.more && documents.length < wanted);
      this.hasMore = page.more;
      this.isLoaded = true;
      this.failure = null;
    } catch (error) {
      if (error.name === "AbortError") return;
      this.hasMore = false;
      this.failure = error;
    }
    this.request = null;
    const changes = this.changes.splice(0);
    this.keepingPlace(() => { this.documents = documents; changes.forEach((item) => this.put(item)); });
    if (this.isOutdated) {
      this.isOutdated = false;
      await this.refresh();
    }
  }

  page(last, signal) {
    const search = this.search.value;
    return get("documents", {
      collection: this.collection, limit: last ? pageLength : 60, deleted: this.withDeleted.checked ? "true" : "", after: last ? last.id : "",
      from: last ? "" : search, prefix: this.onlyPrefix.checked ? search : "",
    }, signal);
  }

  // Shows documents that have been changed. Those that come while a page is being read may be newer than the page.
  apply(changes) {
    if (this.request) this.changes.push(...changes);
    else if (changes.length > 0) this.keepingPlace(() => changes.forEach((item) => this.put(item)));
  }

  put(item) {
    const [position, isFound] = this.find(item.id);
    const search = this.search.value;
    const isShown = (!item.deleted || this.withDeleted.checked) && !precedes(item.id, search) && (!this.onlyPrefix.checked || item.id.startsWith(search));
    if (isFound && this.documents[position].sequence > item.sequence) return;
    // What follows the documents that were read is read when the list is scrolled there.
    if (!isFound && (!isShown || (position === this.documents.length && this.hasMore))) return;
    this.documents.splice(position, isFound ? 1 : 0, ...(isShown ? [item] : []));
  }

  // Returns the index of the first document that does not precede an ID, and whether it has this ID.
  find(id) {
    let [low, high] = [0, this.documents.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (precedes(this.documents[middle].id, id)) low = middle + 1;
      else high = middle;
    }
    return [low, this.documents[low]?.id === id];
  }

  // Changes the documents, and shows them so that those that are visible, and the chosen one, stay where they are.
  keepingPlace(change) {
    const [top, first, chosen] = [this.scroller.scrollTop, Math.floor(this.scroller.scrollTop / height), this.documents[this.cursor]?.id];
    const visible = this.documents[first]?.id;
    change();
    if (chosen !== undefined) {
      const [index, isFound] = this.find(chosen);
      this.cursor = isFound ? index : -1;
    }
    this.draw();
    this.drawStatus();
    if (top > 0 && visible !== undefined) this.scroller.scrollTop = top + (this.find(visible)[0] - first) * height;
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
