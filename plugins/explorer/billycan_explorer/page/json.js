// JSON that keeps the decimals of numbers and the order of members, which JSON.parse would lose.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

/** A tree of `{type, entries | items | text}`; undefined if the text is not JSON. */
export function parse(text) {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = text.match(TOKEN);
  let at = 0;
  function value() {
    const token = tokens[at++];
    if (token === "{") return { type: "object", entries: until("}", () => [tokens[(at += 2) - 2], value()]) };
    if (token === "[") return { type: "array", items: until("]", value) };
    return { type: token[0] === '"' ? "string" : /[tfn]/.test(token[0]) ? "literal" : "number", text: token };
  }
  function until(end, next) {
    const found = [];
    while (tokens[at] !== end) {
      if (tokens[at] === ",") at += 1;
      found.push(next());
    }
    at += 1;
    return found;
  }
  return value();
}

/** A tree in Python's spelling. */
export const python = (tree, indent) => spelled(tree, indent, "    ", literal, { true: "True", false: "False", null: "None" });

/** A tree in TypeScript's spelling. */
export const typescript = (tree, indent) => spelled(tree, indent, "  ", name, {});

function spelled(tree, indent, step, key, words) {
  const inner = indent + step;
  const lined = (lines) => (lines.length ? `\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}` : "");
  const value = (part) => spelled(part, inner, step, key, words);
  if (tree.type === "object") return `{${lined(tree.entries.map(([text, part]) => `${key(text)}: ${value(part)}`))}}`;
  if (tree.type === "array") return `[${lined(tree.items.map(value))}]`;
  return words[tree.text] ?? (tree.type === "string" ? literal(tree.text) : tree.text);
}

// `__proto__` without quotes, and with them, would be no member.
const name = (text) => (/^"[a-z_]\w*"$/i.test(text) ? JSON.parse(text) : literal(text)).replace(/^"?__proto__"?$/, '["__proto__"]');

// A string as JavaScript writes it is also a Python string: `\/` and surrogate pairs would differ, but it writes neither.
const literal = (text) => JSON.stringify(JSON.parse(text));
