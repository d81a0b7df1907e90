// The blobs of a document: images, sounds and texts are shown, anything else as bytes. Contents are never part of the page as HTML.
import { h, button, bytes, empty, field, replace, text } from "./dom.js";
import { blobAddress } from "./api.js";

const previewed = 4096;
const maximumUpload = 24 << 20;
const images = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];

// `upload` stores a file as the blob of a property; `null` if nothing can be changed.
export function blobsTab(element, blobs, upload) {
  replace(element, upload && uploadForm(upload), blobs.length === 0 && empty("No blobs", "This document refers to no binary content."), blobs.map((blob) => {
    const type = (blob.type || "").split(";")[0].toLowerCase();
    const place = h("div", {}, h("p", { class: "muted" }, "Reading…"));
    if (images.includes(type)) {
      replace(place, h("img", { src: blobAddress(blob), alt: `Content of ${blob.digest}`, loading: "lazy", onerror: () => bytesOf(blob, place) }));
    } else if (type.startsWith("audio/") || type.startsWith("video/")) {
      replace(place, h(type.startsWith("audio/") ? "audio" : "video", { src: blobAddress(blob), controls: true, preload: "metadata", onerror: () => bytesOf(blob, place) }));
    } else bytesOf(blob, place, type.startsWith("text/") || type.endsWith("json") || type.endsWith("xml"));
    return h("article", { class: "blob" },
      h("div", { class: "row" }, h("h3", {}, text(blob.type || "no content type")), h("span", { class: "muted" }, bytes(blob.length)),
        h("a", { href: blobAddress(blob), download: blob.digest.replace(/[^A-Za-z0-9-]/g, "_") }, "Download")),
      h("code", { class: "muted small" }, blob.digest), place);
  }));
}

function uploadForm(upload) {
  const property = h("input", { type: "text", dir: "auto", spellcheck: "false", autocomplete: "off", value: "file" });
  const file = h("input", { type: "file" });
  const problem = h("div", { class: "error", role: "alert", hidden: true });
  const complain = (message) => {
    problem.hidden = false;
    replace(problem, message);
  };
  const add = button("Upload", async () => {
    problem.hidden = true;
    const chosen = file.files[0];
    if (!chosen) return complain("Choose a file.");
    if (property.value === "") return complain("Give the name of the property.");
    if (chosen.size > maximumUpload) return complain(`The file has ${bytes(chosen.size)}; at most ${bytes(maximumUpload)} can be uploaded here. Use cblite put --blob.`);
    add.disabled = true;
    try {
      await upload(property.value, chosen);
    } catch (error) {
      complain(error.message);
    }
    add.disabled = false;
    return undefined;
  }, { class: "primary" });
  return h("section", { class: "upload", "aria-label": "Upload a blob" }, h("div", { class: "row end" }, field("Property", property), field("File", file), add), problem);
}

async function bytesOf(blob, element, isText = false) {
  try {
    const response = await fetch(blobAddress(blob), { headers: blob.length === 0 ? {} : { Range: `bytes=0-${previewed - 1}` } });
    if (!response.ok) throw new Error((await response.json()).error);
    const content = new Uint8Array(await response.arrayBuffer());
    const rest = blob.length > content.length ? `\n… ${bytes(blob.length - content.length)} more` : "";
    const shown = isText ? new TextDecoder().decode(content) : hexadecimal(content);
    replace(element, h("pre", { class: "source", dir: isText ? "auto" : "ltr", tabindex: "0" }, shown + rest));
  } catch (error) {
    replace(element, h("p", { class: "error" }, error.message));
  }
}

function hexadecimal(content) {
  const lines = [];
  for (let start = 0; start < Math.min(content.length, 1024); start += 16) {
    const part = [...content.subarray(start, start + 16)];
    const digits = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${start.toString(16).padStart(6, "0")}  ${digits.padEnd(47)}  ${letters}`);
  }
  return lines.join("\n");
}
