// A form built from a schema. Slots read and write its values; an empty field is not sent.

import { button, div, make, prose } from "./dom.js";
import { shapeOf } from "./spec.js";

const RARE = /_(from|to|since)$|^(metadata|external_id)$/;
const MANY = 8;
let count = 0;

/** A slot for a member of the object in another slot; an object left without members is not sent, unless `kept`. */
export function member(slot, name, kept = false) {
  return {
    get: () => slot.get()?.[name],
    set(value) {
      const { [name]: _, ...others } = slot.get() ?? {};
      const next = value === undefined ? others : { ...slot.get(), [name]: value };
      slot.set(kept || Object.keys(next).length ? next : undefined);
    },
  };
}

/** The fields of an object's members, required ones first, rare ones folded away. */
export function fields(schema, slot, path = "", kept = false) {
  const required = new Set(schema.required ?? []);
  const entries = Object.entries(schema.properties ?? {})
    .map(([name, given]) => ({ name, shape: shapeOf(given), required: required.has(name) }))
    .filter(({ shape }) => !shape.readOnly)
    .sort((one, other) => other.required - one.required);
  const rare = entries.filter(({ name, required }) => RARE.test(name) && !required);
  const many = rare.length > 1 && entries.length > MANY;
  const drawn = (entry) => field(entry, member(slot, entry.name, kept), path ? `${path}.${entry.name}` : entry.name);
  const often = entries.filter((entry) => !many || !rare.includes(entry)).map(drawn);
  if (!many) return often;
  const open = rare.some(({ name }) => slot.get()?.[name] !== undefined);
  const more = make("summary", {}, `More (${rare.length})`);
  return [...often, make("details", { class: "more wide", open }, more, div("fields", rare.map(drawn)))];
}

function field(entry, slot, path) {
  const { kind } = entry.shape;
  if (kind === "object") return group(entry, slot, path);
  if (kind === "list" || kind === "map") return rows(entry, slot, path);
  if (kind === "choices") return choices(entry, slot, path);
  return single(entry, slot, path);
}

const title = ({ name, required }) => [name, required && make("span", { class: "required" }, " required")];

function note(shape, id) {
  const { standard } = shape;
  const { description = "" } = shape;
  const isKnown = standard === undefined || standard === null || typeof standard === "object";
  const text = isKnown || description.includes("Default: ") ? description : `Default: \`${standard}\`. ${description}`;
  return make("p", { class: "note", id, title: text.replaceAll("`", "") || undefined }, prose(text));
}

/** One value: a text, a number, a date, a choice. */
function single({ name, shape, required }, slot, path) {
  const id = `field-${(count += 1)}`;
  const control = controls[shape.kind]?.(shape, slot) ?? controls.text(shape, slot);
  const set = { id, "data-param": path, "aria-describedby": `${id}-note`, "aria-required": required && "true" };
  for (const [attribute, value] of Object.entries(set)) if (value) control.setAttribute(attribute, value);
  control.addEventListener("input", () => mended(control));
  const choice = shape.kind === "choice";
  // Null as the default has no effect; a patch has no defaults, and null clears the member.
  const clears = shape.nullable && !choice && shape.standard !== null;
  const label = make("label", { for: id }, title({ name, required }));
  return div(`field ${shape.kind}`, div("label", label, clears && nullBox(name, control, slot)), control, note(shape, `${id}-note`));
}

function nullBox(name, control, slot) {
  const box = make("input", { type: "checkbox", "aria-label": `${name} is null` });
  box.checked = control.disabled = slot.get() === null;
  box.addEventListener("change", () => {
    control.disabled = box.checked;
    slot.set(box.checked ? null : undefined);
    if (!box.checked) control.dispatchEvent(new Event("input"));
  });
  return make("label", { class: "null" }, box, " null");
}

const shown = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? ""));

function input(shape, slot, read, attributes = {}, write = shown) {
  const placeholder = typeof shape.example === "object" ? undefined : shape.example?.toString();
  const { tag = "input", ...others } = attributes;
  const control = make(tag, { autocomplete: "off", spellcheck: "false", placeholder, ...others });
  control.value = write(slot.get());
  control.addEventListener("input", () => slot.set(control.value === "" ? undefined : read(control.value)));
  return control;
}

const exact = (pattern) => (text) => (pattern.test(text.trim()) && Number.isFinite(Number(text)) ? Number(text) : text);

const controls = {
  text: (shape, slot) => input(shape, slot, String, { type: "text" }),
  long: (shape, slot) => input(shape, slot, String, { tag: "textarea", rows: "2" }),
  decimal: (shape, slot) => input(shape, slot, String, { inputmode: "decimal" }), // as text, which keeps it exact
  integer: (shape, slot) => input(shape, slot, exact(/^-?\d{1,15}$/), { inputmode: "numeric" }),
  number: (shape, slot) => input(shape, slot, exact(/^-?\d+(\.\d+)?$/), { inputmode: "decimal" }),
  date: (shape, slot) => input(shape, slot, String, { type: "date" }),
  moment: (shape, slot) => input(shape, slot, withOffset, { type: "datetime-local", step: "1" }, local),
  commas: (shape, slot) => input(shape, slot, (text) => text.split(","), { placeholder: "one or more, separated by commas" }, joined),
  any: (shape, slot) => input(shape, slot, jsonOr, { tag: "textarea", rows: "2", class: "mono" }),
  choice(shape, slot) {
    const values = [undefined, ...shape.options, ...(shape.nullable && shape.standard !== null ? [null] : [])];
    const option = (value, index) => make("option", { value: String(index) }, value === undefined ? "–" : String(value));
    const select = make("select", {}, values.map(option));
    select.value = String(Math.max(0, values.indexOf(slot.get())));
    select.addEventListener("input", () => slot.set(values[Number(select.value)]));
    return select;
  },
};

function jsonOr(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const joined = (value) => [value ?? []].flat().join(",");

/** A time of this browser's own zone, with its offset. */
function withOffset(text) {
  const minutes = -new Date(text).getTimezoneOffset();
  if (Number.isNaN(minutes)) return text;
  const two = (number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
  return `${text.length === 16 ? `${text}:00` : text}${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

function local(value) {
  const at = new Date(value ?? NaN);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

/** A nested object; an optional one is folded until it has members. */
function group(entry, slot, path) {
  const id = `field-${(count += 1)}`;
  const inner = div("fields", fields(entry.shape.schema, slot, path, entry.required));
  const about = note(entry.shape, `${id}-note`);
  if (entry.required) return make("fieldset", { class: "wide" }, make("legend", {}, title(entry)), about, inner);
  const box = entry.shape.nullable && entry.shape.standard !== null && nullBox(entry.name, make("input"), slot);
  if (box) inner.addEventListener("input", () => (box.querySelector("input").checked = false));
  const open = slot.get() !== undefined && slot.get() !== null;
  return make("details", { class: "more wide", open }, make("summary", {}, title(entry)), box, about, inner);
}

/** A choice of several values. */
function choices(entry, slot, path) {
  const { shape } = entry;
  const box = (option) => {
    const control = make("input", { type: "checkbox" });
    control.checked = [slot.get()].flat().includes(option);
    control.addEventListener("change", () => {
      const others = [slot.get() ?? []].flat().filter((value) => value !== option);
      const next = control.checked ? [...others, option] : others;
      slot.set(next.length ? next : undefined);
    });
    return make("label", { class: "chip" }, control, ` ${option}`);
  };
  const id = `field-${(count += 1)}`;
  return make("fieldset", { class: "field choices", "data-param": path, tabindex: "-1", "aria-describedby": `${id}-note` },
    make("legend", {}, title(entry)), div("chips", shape.options.map(box)), note(shape, `${id}-note`));
}

/** A list of values or objects, or a map of names to values, with rows to add and remove. */
function rows(entry, slot, path) {
  const { shape, name } = entry;
  const isMap = shape.kind === "map";
  const items = shapeOf((isMap ? shape.schema.additionalProperties : shape.schema.items) || {});
  const isObject = items.kind === "object";
  const list = div("rows");
  const entries = () => (isMap ? Object.entries(slot.get() ?? {}) : [slot.get() ?? []].flat());
  const write = (next) => slot.set(next.length || entry.required ? (isMap ? Object.fromEntries(next) : next) : undefined);
  const label = name.replace(/_/g, " ").replace(/ies$/, "y").replace(/s$/, "");
  const add = button(`Add ${label}`, () => {
    const fresh = isMap ? [`key_${entries().length + 1}`, ""] : isObject ? {} : "";
    write([...entries(), fresh]);
    draw(entries().length - 1);
  });

  function draw(focused) {
    list.replaceChildren(...entries().map((_, index) => row(index)));
    const target = focused === undefined ? undefined : list.children[focused]?.querySelector("input, select, textarea");
    if (focused !== undefined) (target ?? add).focus();
  }
  function row(index) {
    const leave = () => {
      write(entries().filter((_, at) => at !== index));
      draw(-1);
    };
    const remove = button("Remove", leave, { class: "quiet remove", "aria-label": `Remove ${label} ${index + 1}` });
    return div("row", isMap ? pair(index) : item(index), remove);
  }
  function item(index) {
    const place = {
      get: () => entries()[index],
      set: (value) => write(entries().map((old, at) => (at === index ? (value ?? (isObject ? {} : "")) : old))),
    };
    const here = `${path}[${index}]`;
    const named = `${label} ${index + 1}`;
    const only = () => field({ name: named, shape: { ...items, description: "" } }, place, here);
    const inner = isObject ? fields(items.schema, place, here, true) : only();
    return make("fieldset", {}, make("legend", { class: isObject ? undefined : "hidden" }, named), div("fields", inner));
  }
  function pair(index) {
    const change = (at, value) => write(entries().map((old, place) => (place === index ? old.with(at, value) : old)));
    return div("pair", ["key", "value"].map((part, at) => {
      const named = { "aria-label": `${name} ${part} ${index + 1}`, "data-param": at && `${path}.${entries()[index][0]}` };
      const control = make("input", { ...named, placeholder: part, autocomplete: "off" });
      control.value = shown(entries()[index][at]);
      // Use a name only once it is complete: half-typed, it may equal another row's.
      control.addEventListener(at ? "input" : "change", () => change(at, control.value));
      if (!at) control.addEventListener("change", () => draw());
      return control;
    }));
  }
  draw();
  const id = `field-${(count += 1)}`;
  const box = shape.nullable && shape.standard !== null && nullBox(name, add, slot);
  return make("fieldset", { class: "field wide list", "data-param": path, tabindex: "-1", "aria-describedby": `${id}-note` },
    make("legend", {}, title(entry)), box, note(shape, `${id}-note`), list, add);
}

/** Show an answer's faults beside their fields; return the first such field. */
export function blame(form, faults) {
  const found = faults.map(({ param, message }) => {
    const control = param && form.querySelector(`[data-param="${CSS.escape(param)}"]`);
    const about = control && document.getElementById(control.getAttribute("aria-describedby"));
    if (!about) return undefined;
    for (let box = control.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    control.ariaInvalid = "true";
    about.dataset.said ??= about.textContent;
    about.replaceChildren(...prose(message));
    about.classList.add("fault");
    return control;
  });
  return found.find(Boolean);
}

function mended(control) {
  if (control.ariaInvalid !== "true") return;
  control.ariaInvalid = null;
  const about = document.getElementById(control.getAttribute("aria-describedby"));
  about.classList.remove("fault");
  about.textContent = about.dataset.said ?? "";
}
