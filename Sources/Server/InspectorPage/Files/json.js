// Reads and writes JSON without changing any number: numbers of JavaScript have 53 bits, those of documents 64.
//
// A value is { type, … }: object (members: [key, value] pairs), array (items), string (value), number (value: its text),
// boolean (value), null.

export class TextError extends Error {
  constructor(message, text, position) {
    const before = text.slice(0, position).split("\n");
    super(`${message} in line ${before.length}, column ${before[before.length - 1].length + 1}`);
    this.position = position;
  }
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

export function parse(text) {
  let position = 0;
  const fail = (message) => {
    throw new TextError(message, text, position);
  };
  const skip = () => {
    while (" \t\n\r".includes(text[position]) && position < text.length) position += 1;
  };
  const match = (pattern) => {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (!found) return null;
    position += found[0].length;
    return found[0];
  };
  const string = () => {
    const found = match(stringPattern);
    return found === null ? fail("invalid string") : JSON.parse(found);
  };
  const word = (letters, value) => {
    if (!text.startsWith(letters, position)) fail("unknown word");
    position += letters.length;
    return value;
  };
  const list = (end, item) => {
    position += 1;
    skip();
    if (text[position] === end) {
      position += 1;
      return;
    }
    for (;;) {
      skip();
      item();
      skip();
      const next = text[position];
      if (next !== "," && next !== end) fail(`missing comma or ${end}`);
      position += 1;
      if (next === end) return;
    }
  };
  const value = (depth) => {
    if (depth > 200) fail("too many levels");
    skip();
    switch (text[position]) {
      case "{": {
        const members = [];
        const keys = new Set();
        list("}", () => {
          const key = text[position] === '"' ? string() : fail("missing key");
          if (keys.has(key)) fail(`the key ${JSON.stringify(key)} occurs twice`);
          keys.add(key);
          skip();
          if (text[position] !== ":") fail("missing colon");
          position += 1;
          members.push([key, value(depth + 1)]);
        });
        return { type: "object", members };
      }
      case "[": {
        const items = [];
        list("]", () => items.push(value(depth + 1)));
        return { type: "array", items };
      }
      case '"': return { type: "string", value: string() };
      case "t": return word("true", { type: "boolean", value: true });
      case "f": return word("false", { type: "boolean", value: false });
      case "n": return word("null", { type: "null" });
      case undefined: return fail("the text ends too early");
      default: {
        const number = match(numberPattern);
        return number === null ? fail("unexpected character") : { type: "number", value: number };
      }
    }
  };
  const root = value(0);
  skip();
  if (position < text.length) fail("text after the end");
  return root;
}

export const isNumber = (text) => {
  numberPattern.lastIndex = 0;
  const found = numberPattern.exec(text);
  return found !== null && found[0].length === text.length;
};

export function write(value, indent = 0, level = 0) {
  const line = indent > 0 ? `\n${" ".repeat(indent * (level + 1))}` : "";
  const end = indent > 0 ? `\n${" ".repeat(indent * level)}` : "";
  switch (value.type) {
    case "object": {
      if (value.members.length === 0) return "{}";
      const colon = indent > 0 ? ": " : ":";
      return `{${value.members.map(([key, item]) => line + JSON.stringify(key) + colon + write(item, indent, level + 1)).join(",")}${end}}`;
    }
    case "array":
      if (value.items.length === 0) return "[]";
      return `[${value.items.map((item) => line + write(item, indent, level + 1)).join(",")}${end}]`;
    case "string": return JSON.stringify(value.value);
    case "number": return value.value;
    case "boolean": return String(value.value);
    default: return "null";
  }
}

export function make(type, from = null) {
  const simple = from && ["string", "number", "boolean"].includes(from.type) ? String(from.value) : "";
  switch (type) {
    case "object": return { type, members: [] };
    case "array": return { type, items: [] };
    case "string": return { type, value: simple };
    case "number": return { type, value: isNumber(simple) ? simple : "0" };
    case "boolean": return { type, value: simple === "true" };
    default: return { type: "null" };
  }
}
