// A live page asks every few seconds, while it is in sight, whether anything changed, and takes over what did. The
// answer is almost always that nothing has. What somebody types, chooses or points at stays as it is.

const EVERY = 5000, QUIET = 1000, LONGEST = 60_000;
const main = document.querySelector("main");
let waits = EVERY, due = performance.now() + EVERY, used = -QUIET, held = false, morph;

for (const kind of ["pointermove", "pointerdown", "pointerup", "pointercancel", "keydown", "wheel", "touchmove"]) {
  addEventListener(kind, () => {
    used = performance.now();
    if (kind === "pointerdown") held = true;
    if (kind === "pointerup" || kind === "pointercancel") held = false;
  }, { passive: true, capture: true });
}

// Nothing moves under a pointer or a key that is in use, nor while a form is on its way.
const isBusy = () => held || performance.now() - used < QUIET || document.querySelector("form[data-sent]");

async function look() {
  const { state } = main.dataset, here = location.href;
  if (document.hidden || !state || performance.now() < due || isBusy()) return;
  due = Infinity;
  try {
    const answer = await fetch(here, { headers: { Accept: "text/html", "If-None-Match": state }, cache: "no-store" });
    if (answer.redirected) main.dataset.state = ""; // signed out: what is shown stays
    else if (answer.status === 404) gone();
    else if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      morph ??= await load();
      if (here === location.href && state === main.dataset.state && !isBusy()) take(page.querySelector("main"));
    } else if (answer.status !== 304) throw new Error(answer.status);
    waits = EVERY;
  } catch {
    waits = Math.min(2 * waits, LONGEST); // too many ask, or the server is away
  }
  due = performance.now() + waits;
}
setInterval(look, QUIET);

const load = () => new Promise((resolve, reject) => {
  const script = document.createElement("script");
  script.src = main.dataset.morph;
  script.onload = () => resolve(window.Idiomorph.morph);
  script.onerror = reject;
  document.head.append(script);
});

function gone() {
  main.dataset.state = "";
  const told = document.createElement("p");
  [told.className, told.textContent] = ["notice warn", "This is no longer there: it was deleted meanwhile."];
  told.setAttribute("role", "status");
  main.prepend(told);
}

const FIELDS = "input:not([type=hidden]), select, textarea";
const isChanged = (field) => field.matches("[type=checkbox], [type=radio]") ? field.checked !== field.defaultChecked
  : field.matches("select") ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
  : field.value !== field.defaultValue;
const isTyped = (field) => field === document.activeElement || isChanged(field);
const isInUse = (form) => [...form.elements].some((field) => field.form === form && form.contains(field) && field.matches(FIELDS) && isTyped(field));

// A form in use stays whole, with the version of the record that it was opened with: it never overwrites a later one.
const stays = (node) => node.nodeType === 1 && (node.matches("form") ? isInUse(node) : node.matches(FIELDS) && isTyped(node));
const staysWithin = (node) => node.nodeType === 1 && (stays(node) || [...node.querySelectorAll("form")].some(isInUse));

// Links and forms that are there once, before and after, are the same ones: a row or a button with the focus moves along
// with its record, and never becomes that of another.
function match(fresh) {
  const index = (root) => {
    const found = new Map();
    for (const each of root.querySelectorAll("a[href], form[action]")) {
      const key = `${each.localName} ${each.getAttribute(each.localName === "a" ? "href" : "action")} ${each.textContent.trim()}`;
      found.set(key, found.has(key) ? undefined : each);
    }
    return found;
  };
  const marked = [], [old, now] = [index(main), index(fresh)];
  for (const [key, each] of old) {
    const same = now.get(key);
    if (!each || !same || each.id || same.id) continue;
    each.id = same.id = `same-${marked.length}`;
    marked.push(each, same);
  }
  return () => marked.forEach((each) => each.removeAttribute("id"));
}

function take(fresh) {
  // What this window was told stays: the answer to a poll does not say it again.
  for (const told of main.querySelectorAll(":scope > .notice[role], :scope > .toast")) {
    if (told.matches(".toast")) fresh.append(told.cloneNode(true));
    else if (!fresh.querySelector(":scope > .notice[role]")) fresh.prepend(told.cloneNode(true));
  }
  const unmark = match(fresh);
  morph(main, fresh.childNodes, {
    morphStyle: "innerHTML",
    ignoreActiveValue: true,
    callbacks: {
      beforeNodeMorphed: (old) => !stays(old),
      beforeNodeRemoved: (old) => !staysWithin(old),
      beforeAttributeUpdated: (name, node) => !(name === "open" && node.matches("details, dialog")) && !(name === "hidden" && node.matches("[data-copy]")),
    },
  });
  unmark();
  main.dataset.state = fresh.dataset.state ?? "";
  dispatchEvent(new Event("replaced"));
}
