// Elements, built without markup, so that texts of answers stay texts.

/** An element; `on…` members are listeners, strings are attributes, and false or missing members are skipped. */
export function make(tag, members = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

export const div = (kind, ...children) => make("div", { class: kind }, children);
export const span = (kind, ...children) => make("span", { class: kind }, children);
export const button = (text, onclick, members) => make("button", { type: "button", class: "quiet", onclick, ...members }, text);

/** Text whose `quoted` words are code. */
export const prose = (text) =>
  text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? make("code", {}, part) : part.replaceAll("\n", " ")));

/** A button that copies the result of `text()` and confirms it. */
export function copyButton(text, label = "Copy") {
  const button = make("button", { type: "button", class: "quiet copy", "aria-live": "polite" }, label);
  button.addEventListener("click", async () => {
    await copy(text());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers offer no clipboard on plain http, except on this machine.
  const area = make("textarea", { class: "hidden" });
  document.body.append(area);
  area.value = text;
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Tabs over panels: `[{name, panel, may}]`; if `may()` is false, the tab does not change. Arrow keys move between them. */
export function tabs(label, entries, chosen = () => {}) {
  const buttons = entries.map(({ name }, index) =>
    make("button", { type: "button", role: "tab", onclick: () => select(index), onkeydown: (event) => move(event, index) }, name),
  );
  function select(index) {
    const from = buttons.findIndex((button) => button.ariaSelected === "true");
    if (from >= 0 && from !== index && entries[from].may?.() === false) return;
    buttons.forEach((button, at) => {
      button.ariaSelected = String(at === index);
      button.tabIndex = at === index ? 0 : -1;
      entries[at].panel.hidden = at !== index;
    });
    chosen(entries[index].name);
  }
  function move(event, index) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (index + step + entries.length) % entries.length;
    buttons[next].focus();
    select(next);
  }
  for (const { name, panel } of entries) {
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-label", name);
  }
  return { list: make("div", { class: "tabs", role: "tablist", "aria-label": label }, buttons), select };
}
