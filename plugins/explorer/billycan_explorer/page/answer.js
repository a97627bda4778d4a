// Shows an answer: status, time, remaining rate limit, headers, and the body as a folding tree.

import { button, copyButton, div, make, span } from "./dom.js";
import { parse } from "./json.js";

const LARGE = 200_000;
const kindOf = (status) => (status < 300 ? "good" : status < 500 ? "poor" : "bad");

/** The status of an answer as a badge. */
export const badge = ({ status, reason, failed }) =>
  make("b", { class: `status ${failed ? "bad" : kindOf(status)}` }, failed ? "failed" : `${status} ${reason ?? ""}`.trim());

/** All parts of an answer; `ids(text)` returns the action of clicking an id, `page(cursor)` that of clicking a page. */
export function answerView(answer, { ids, page }) {
  const bar = (...parts) => make("div", { class: "bar", role: "status" }, badge(answer), parts);
  if (answer.failed) return [bar(), make("p", { class: "failed" }, answer.failed)];
  const { text, headers, ms } = answer;
  const tree = /json/.test(headers.get("content-type") ?? "") ? parse(text) : undefined;
  const pagination = tree && JSON.parse(text)?.pagination;
  const size = text.length < 1000 ? `${text.length} B` : `${(text.length / 1000).toFixed(1)} kB`;
  return [
    bar(span("", `${ms} ms`), span("", size), span("grow"), text && copyButton(() => text)),
    meter(headers),
    pages(pagination, page),
    make("details", { class: "headers" }, make("summary", {}, `Headers (${headers.size})`),
      make("dl", {}, [...headers].map(([name, value]) => div("", make("dt", {}, name), make("dd", {}, value))))),
    make("div", { class: "body mono", tabindex: "0", role: "group", "aria-label": "Body" },
      tree ? node(tree, { ids, open: text.length < LARGE ? 9 : 1 }) : text || "No body."),
  ];
}

/** The requests left in this minute. */
function meter(headers) {
  const [limit, left, reset] = ["limit", "remaining", "reset"].map((part) => Number(headers.get(`x-ratelimit-${part}`) ?? NaN));
  if (!(limit > 0)) return undefined;
  const seconds = Math.max(0, Math.round(reset - Date.now() / 1000));
  const share = Math.max(0, Math.min(1, left / limit));
  const level = span(share > 0.5 ? "" : share > 0.2 ? "poor" : "bad");
  level.style.width = `${share * 100}%`;
  const range = { "aria-valuemin": "0", "aria-valuemax": String(limit), "aria-valuenow": String(left) };
  return div("limit",
    make("span", { class: "meter", role: "meter", "aria-label": "Requests left", ...range }, level),
    span("", `${left} of ${limit} requests left`), span("", `one more in ${seconds} s`));
}

function pages(pagination, page) {
  if (!pagination) return undefined;
  const { prev_cursor, next_cursor, total } = pagination;
  const turn = (label, cursor, way) => button(label, () => page(cursor, way), { "data-way": way, disabled: !cursor });
  return div("pages", turn("← Previous page", prev_cursor, "prev"), turn("Next page →", next_cursor, "next"),
    span("", `Page ${pagination.page} · ${total} in all`));
}

/** A value of a tree; below the depth `open` it is folded, and drawn only once opened. */
function node(tree, way) {
  if (tree.type === "object") return block("{", tree.entries, "}", way);
  if (tree.type === "array") return block("[", tree.items.map((value) => [undefined, value]), "]", way);
  const text = tree.type === "string" ? JSON.parse(tree.text) : undefined;
  const follow = text && way.ids(text);
  if (follow) return button(tree.text, follow, { class: "id", title: "Use this id" });
  const link = { class: "string", href: text, target: "_blank", rel: "noopener noreferrer" };
  return text && /^https?:\/\/\S+$/.test(text) ? make("a", link, tree.text) : span(tree.type, tree.text);
}

function block(start, entries, end, way) {
  if (!entries.length) return span("mark", start + end);
  const inner = div("inner");
  const fold = button("", () => show(inner.hidden), { class: "fold" });
  const summary = span("mark");
  const count = `${entries.length} ${entries.length === 1 ? "item" : "items"}`;
  function show(isOpen) {
    if (isOpen && !inner.firstChild) inner.append(...entries.map(line));
    inner.hidden = !isOpen;
    fold.ariaExpanded = String(isOpen);
    fold.ariaLabel = `${isOpen ? "Fold" : "Unfold"} ${count}`;
    summary.textContent = isOpen ? start : `${start} … ${end} ${count}`;
    close.hidden = !isOpen;
  }
  function line([key, value], index) {
    const comma = index < entries.length - 1 && span("mark", ",");
    const name = key !== undefined && [span("name", key), span("mark", ": ")];
    return div("", name, node(value, { ...way, open: way.open - 1 }), comma);
  }
  const close = span("mark", end);
  show(way.open > 0);
  return span("block", fold, summary, inner, close);
}
