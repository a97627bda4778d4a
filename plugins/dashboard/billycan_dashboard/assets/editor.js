// Forms of records, with JavaScript: references chosen by typing, rows by keys, sums while one types, and drafts that
// survive a closed tab. Every form works without it.

const element = (name, attributes = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) made.setAttribute(key, value);
  made.append(...inside);
  return made;
};
const last = (name) => name.slice(name.lastIndexOf(".") + 1);
const told = element("p", { class: "unseen", role: "status" });
document.body.append(told);
const say = (text) => (told.textContent = text);
const changed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));
const page = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
const typed = (form, submitter) => new URLSearchParams(new FormData(form, submitter));

// A reference: its options are looked for while one types, and one that is missing is made in a dialog.
let lists = 0;
function pick(select) {
  const { pick: resource, one, total, new: maker, titled } = select.dataset;
  const row = select.closest(".grid-row"), form = select.form, now = select.selectedOptions[0];
  const begins = [...select.options].filter((option) => option.value).slice(0, 8)
    .map((option) => ({ id: option.value, title: option.text, more: "", fills: null }));
  const chosen = element("input", { type: "hidden", name: select.name, value: select.value });
  const list = element("ul", { role: "listbox", id: `list-${lists += 1}`, "aria-label": select.labels[0]?.firstChild.textContent.trim() ?? "" });
  const field = element("input", {
    id: select.id, role: "combobox", autocomplete: "off", spellcheck: "false", "aria-expanded": "false", "aria-autocomplete": "list",
    "aria-controls": list.id, "aria-invalid": select.getAttribute("aria-invalid"), "aria-describedby": select.getAttribute("aria-describedby"),
    autofocus: select.autofocus ? "" : null, placeholder: row ? "" : total > 0 ? `Search ${Number(total).toLocaleString()}` : "",
  });
  list.hidden = true;
  const find = !row && form.elements[`find-${select.name}`];
  field.value = select.value ? now.text : (find && find.value) || "";
  let text = field.value, waiting, asked, active;
  if (find) find.closest(".find").remove(); // the text of this field takes its place
  const box = element("span", { class: "pick" }, chosen, field, list);
  box.choose = (offer) => set(offer);
  select.replaceWith(box);

  const fields = () => Object.fromEntries([...row?.querySelectorAll("[name]") ?? []].filter((each) => each !== chosen && each.type !== "hidden")
    .map((each) => [last(each.name), each]));
  const address = (query) => `/dashboard/suggest/${resource}?${new URLSearchParams({ ...query, fills: row ? Object.keys(fields()).join() : "" })}`;

  const set = (offer) => {
    [chosen.value, field.value, text] = [offer?.id ?? "", offer?.title ?? "", offer?.title ?? ""];
    field.removeAttribute("name");
    field.removeAttribute("aria-invalid");
    close();
    // What a former item filled in gives way to what this one says; what was typed stays.
    for (const [name, each] of Object.entries(fields())) {
      if (each.value && each.dataset.filled !== each.value) continue;
      // A line says by default what its item is called.
      const value = offer?.fills?.[name] || (offer?.fills && name in offer.fills && each.matches("textarea") ? offer.title : "");
      if (!value && !each.dataset.filled) continue;
      [each.value, each.dataset.filled] = [value, value];
    }
    changed(chosen);
  };
  const close = () => {
    clearTimeout(waiting);
    waiting = undefined;
    asked?.abort();
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    mark(undefined);
  };
  const mark = (item) => {
    active?.setAttribute("aria-selected", "false");
    active = item;
    if (!item) return field.removeAttribute("aria-activedescendant");
    item.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  };
  const option = (act, ...inside) => {
    const item = element("li", { role: "option", "aria-selected": "false" }, ...inside);
    item.act = act;
    item.addEventListener("pointerdown", (event) => { event.preventDefault(); act(); });
    return item;
  };
  const show = (offers) => {
    waiting = undefined;
    const items = offers.map((offer) => option(() => take(offer), element("span", {}, offer.title), element("small", {}, offer.more)));
    const words = field.value.trim() === text ? "" : field.value.trim();
    if (maker) items.push(option(() => make(words), element("span", { class: "new" }, words ? `New ${one} “${words}”` : `New ${one}`)));
    items.forEach((item, i) => (item.id = `${list.id}-${i}`));
    list.replaceChildren(...items);
    list.hidden = !items.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    mark(words && (offers.length || !row) ? items[0] : undefined); // a row takes what is not found as its words
    if (words) say(`${offers.length || "None"} found`);
  };
  const take = async (offer) => {
    // What was offered without being asked for does not say what it fills in.
    if (row && !offer.fills) [offer] = await look({ id: offer.id }) ?? [offer];
    set(offer);
  };
  const look = async (query) => {
    asked?.abort();
    asked = new AbortController();
    try {
      const answer = await fetch(address(query), { signal: asked.signal });
      if (answer.ok && !answer.redirected) return await answer.json();
    } catch { /* what was typed meanwhile is looked for instead */ }
  };
  const search = async () => {
    const words = field.value.trim();
    const offers = words && words !== text ? await look({ q: words }) : begins;
    if (offers && document.activeElement === field) show(offers);
  };
  const make = async (words) => {
    close();
    const made = await openForm(`${maker}&${new URLSearchParams({ [titled]: words })}`, field);
    field.focus();
    close();
    if (!made) return;
    const id = new URL(made.url).pathname.split("/").at(-1);
    const [offer] = await look({ id }) ?? [];
    if (offer) set(offer);
  };
  field.addEventListener("input", (event) => {
    if (!event.isTrusted && !event.inputType) return;
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
    if (!field.value.trim()) { if (chosen.value) set(undefined); } else if (!row) field.name = `find-${select.name}`; // not chosen yet
  });
  field.addEventListener("focus", () => field.select());
  field.addEventListener("click", () => list.hidden && search());
  field.addEventListener("blur", () => {
    const words = field.value.trim(), items = [...list.children];
    if (words && words !== text) {
      const same = items.find((item) => item.firstChild.textContent.toLowerCase() === words.toLowerCase());
      const said = row?.querySelector("textarea");
      if (same) same.act();
      else if (row && said && !said.value) {
        said.value = words; // a line for what is not in the price list
        set(undefined);
      } else if (row) field.value = text;
    }
    close();
  });
  field.addEventListener("keydown", (event) => {
    const items = [...list.children], at = items.indexOf(active);
    if (["ArrowDown", "ArrowUp"].includes(event.key)) {
      if (list.hidden) search();
      else mark(items.at((at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1)) % items.length));
    } else if (event.key === "Escape" && !list.hidden) close();
    else if (event.key === "Enter" && (waiting || active) && !event.ctrlKey) {
      if (waiting) { // before what was typed has been looked for
        clearTimeout(waiting);
        waiting = undefined;
        search().then(() => active?.act());
      } else active.act();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  if (!row) field.addEventListener("keydown", (event) => event.key === "Enter" && field.name && event.preventDefault());
}

// Rows: Enter goes to the next, which is made if there is none; they are moved by their grip, and by arrow keys on it.
function rows(group) {
  const box = group.querySelector(".grid-rows"), all = () => [...box.children], name = group.id;
  const blank = all().at(-1)?.cloneNode(true);
  if (!blank) return;
  for (const each of blank.querySelectorAll("input, textarea, select")) {
    if (each.type === "checkbox") each.checked = false;
    else each.value = "";
    each.removeAttribute("value");
    if (each.type === "checkbox") each.setAttribute("value", "true");
    if (each.tagName === "TEXTAREA") each.textContent = "";
    for (const option of each.options ?? []) option.removeAttribute("selected");
    each.removeAttribute("aria-invalid");
    each.removeAttribute("autofocus");
  }
  for (const each of blank.querySelectorAll(".fault, input[type=hidden]")) each.remove();
  const number = () => all().forEach((row, i) => {
    if (row.id === `${name}[${i}]`) return;
    for (const each of [row, ...row.querySelectorAll("[name], [id], [for], [aria-describedby], [aria-label]")]) {
      for (const key of ["id", "name", "for", "aria-describedby"]) {
        const value = each.getAttribute(key);
        if (value?.includes(`${name}[`)) each.setAttribute(key, value.replace(/\[(\d+|-)\]/, `[${i}]`));
      }
      const label = each.getAttribute("aria-label");
      if (label) each.setAttribute("aria-label", label.replace(/\d+/, i + 1));
    }
  });
  const firstOf = (row) => row.querySelector("input:not([type=hidden]), select, textarea");
  const add = () => {
    if (all().length >= Number(group.dataset.most)) return say("No more rows can be added.");
    const row = blank.cloneNode(true);
    row.id = `${name}[-]`;
    box.append(row);
    number();
    row.querySelectorAll("select[data-pick]").forEach(pick);
    return row;
  };
  const move = (row, to) => {
    const others = all(), from = others.indexOf(row);
    if (to < 0 || to >= others.length || to === from) return;
    others[to][to > from ? "after" : "before"](row);
    number();
    changed(row.querySelector("[name]"));
    say(`Now row ${to + 1} of ${others.length}`);
  };
  const drop = (row) => {
    const at = all().indexOf(row), grip = row.contains(document.activeElement);
    row.remove();
    if (!all().length) add();
    number();
    if (grip) all().at(Math.min(at, all().length - 1)).querySelector(".drop").focus();
    changed(box.querySelector("[name]"));
    say("Row removed");
  };
  group.add = add;
  group.addEventListener("click", (event) => {
    const row = event.target.closest(".grid-row");
    if (event.target.matches(".drop")) drop(row);
    if (event.target.matches("button[name=more]")) {
      event.preventDefault();
      firstOf(add())?.focus();
    }
  });
  group.addEventListener("keydown", (event) => {
    const row = event.target.closest(".grid-row");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches(".grip") && ["ArrowUp", "ArrowDown"].includes(event.key)) {
      move(row, all().indexOf(row) + (event.key === "ArrowUp" ? -1 : 1));
      event.target.focus();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !event.target.matches("button, [type=checkbox]")) {
      const next = row.nextElementSibling ?? add();
      if (next) firstOf(next).focus();
    } else return;
    event.preventDefault();
  });
  group.addEventListener("pointerdown", (event) => {
    if (!event.target.matches(".grip")) return;
    const grip = event.target, row = grip.closest(".grid-row"), pointer = event.pointerId;
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(pointer);
    row.classList.add("moved");
    const drag = ({ clientY: y }) => {
      const at = all().indexOf(row);
      const over = all().findIndex((each) => { const { top, bottom } = each.getBoundingClientRect(); return y >= top && y < bottom; });
      if (over >= 0 && over !== at) move(row, over);
    };
    const end = () => {
      grip.removeEventListener("pointermove", drag);
      row.classList.remove("moved");
    };
    grip.addEventListener("pointermove", drag);
    grip.addEventListener("lostpointercapture", end, { once: true });
  });
}

// Sums: the API works out what the form comes to; one request at a time, and none for what is not changed.
function sums(form) {
  const output = form.querySelector(".comes-to");
  if (!output) return;
  let timer, busy = false, again = false, known = "";
  const show = ({ rows: of, figures, wrong }) => {
    for (const row of form.querySelectorAll(".lines .grid-row")) row.querySelector(".tools output").textContent = of[row.id] ?? "";
    output.replaceChildren(...figures.map(([label, amount]) => element("span", {}, `${label} `, element("strong", {}, amount))),
      ...(wrong ? [element("small", { class: "wrong" }, wrong)] : []));
  };
  const ask = async () => {
    if (busy) return (again = true);
    const sent = typed(form);
    for (const name of ["once", "draft", "was", "file"]) sent.delete(name);
    sent.set("work_out", "yes");
    if (String(sent) === known) return;
    [busy, known] = [true, String(sent)];
    try {
      const answer = await fetch(form.action, { method: "POST", body: sent });
      if (answer.headers.get("content-type")?.startsWith("application/json")) show(await answer.json());
    } catch {
      show({ rows: {}, figures: [], wrong: "" }); // no figure is better than a former one
    }
    busy = false;
    if (again) { again = false; ask(); }
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 300); });
  if ([...form.querySelectorAll(".lines [name]")].some((each) => each.value)) ask();
}

// Drafts: what was typed and not saved is offered again, until it is saved, discarded or its writer signs out.
const DRAFT = "billycan draft ", KEPT = 30 * 86_400_000, SENT = "billycan sent";
const read = (key) => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
const write = (key, value) => { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* a full store keeps no drafts */ } };
const OURS = ["token", "once", "draft"];

function draft(form) {
  const key = `${DRAFT}${form.elements.draft.value} ${new URL(form.action).pathname}`;
  const fields = () => [...form.elements].filter((each) => (each.name || each.role === "combobox") && !OURS.includes(each.name) && each.tagName !== "BUTTON" && each.type !== "file");
  const save = () => write(key, { at: Date.now(), fields: fields().map((each) =>
    [each.role === "combobox" ? `#${each.id}` : each.name, each.type === "checkbox" ? `${each.checked} ${each.value}` : each.value]) });
  const fill = (kept) => {
    for (const [name] of kept.fields) {
      const at = /^#?(\w+)\[(\d+)\]/.exec(name), group = at && document.getElementById(at[1]);
      while (group?.add && group.querySelectorAll(".grid-row").length <= Number(at[2]) && group.add());
    }
    for (const each of fields()) {
      const name = each.role === "combobox" ? `#${each.id}` : each.name;
      const found = kept.fields.filter(([one]) => one === name).map(([, value]) => value);
      if (each.type === "checkbox") each.checked = found.includes(`true ${each.value}`);
      else if (found.length) each.value = found[0];
      if (each.value && each.closest("details")) each.closest("details").open ||= each.type !== "hidden" && each.type !== "checkbox";
    }
    form.dispatchEvent(new Event("input"));
  };
  const kept = read(key);
  localStorage.removeItem(`${key} ${SENT}`);
  let timer;
  form.addEventListener("input", (event) => {
    if (event.target === form) return;
    clearTimeout(timer);
    timer = setTimeout(save, 400);
  });
  addEventListener("pagehide", () => timer && !form.dataset.sent && save());
  form.addEventListener("submit", () => { clearTimeout(timer); save(); write(`${key} ${SENT}`, true); });
  if (!kept || Date.now() - kept.at > KEPT || document.querySelector(".notice.bad, .notice.warn[data-code]")) return;
  const when = new Date(kept.at).toLocaleString("en-AU", { weekday: "short", hour: "numeric", minute: "2-digit" });
  const offer = element("div", { class: "toast", role: "region", "aria-label": "A draft that was not saved" }, element("p", {}, `What you typed here on ${when} was not saved.`));
  for (const [label, style, act] of [["Continue editing", "small", () => fill(kept)], ["Discard", "second small", () => localStorage.removeItem(key)]]) {
    const button = element("button", { type: "button", class: style }, label);
    button.addEventListener("click", () => { offer.remove(); act(); });
    offer.append(button);
  }
  form.addEventListener("input", () => offer.remove(), { once: true });
  document.querySelector("main").append(offer);
}

// What was sent is saved once any other page shows; what has been kept for long goes.
const forget = (goes) => Object.keys(localStorage).filter((key) => key.startsWith(DRAFT) && goes(key)).forEach((key) => localStorage.removeItem(key));
function forgetSent() {
  if (!document.querySelector(".side") || document.querySelector(".notice.bad")) return;
  const here = new Set([...document.querySelectorAll("form.editor")].map((form) => `${DRAFT}${form.elements.draft.value} ${new URL(form.action).pathname}`));
  forget((key) => key.endsWith(SENT) ? !here.has(key.slice(0, -SENT.length - 1)) && (localStorage.removeItem(key.slice(0, -SENT.length - 1)), true)
    : Date.now() - (read(key)?.at ?? 0) > KEPT);
}
addEventListener("submit", (event) => new URL(event.target.action).pathname === "/dashboard/sign-out" && forget(() => true), true);

// A form of another page, in a dialog: resolves to its answer once it was carried out, or to nothing.
function openForm(address, from) {
  return new Promise((resolve) => {
    const title = element("h2", { id: "dialog-title" }), inside = element("div", { class: "inside" });
    const shut = element("button", { type: "button", class: "second small", "aria-label": "Close" }, "✕");
    const dialog = element("dialog", { class: "sheet", "aria-labelledby": "dialog-title" }, element("div", { class: "between" }, title, shut), inside);
    document.body.append(dialog);
    let result;
    const show = (doc) => {
      const main = doc.querySelector("main"), form = main?.querySelector("form");
      if (!form || !doc.querySelector(".side")) return location.assign(address); // such as the page to sign in
      title.textContent = main.querySelector("h1")?.textContent ?? doc.title;
      inside.replaceChildren(...[...main.querySelectorAll(":scope > .head p, :scope > :not(.back, .head, .ribbon)")].map((each) => document.adoptNode(each)));
      for (const link of inside.querySelectorAll("form .actions > a.button")) link.addEventListener("click", (event) => { event.preventDefault(); dialog.close(); });
      enhance(inside);
      dialog.first = () => {
        const fields = [...inside.querySelectorAll("form input:not([type=hidden], [type=file]), form textarea, form select")].filter((each) => each.checkVisibility());
        (inside.querySelector("[aria-invalid], [autofocus]") ?? fields.find((each) => !each.value) ?? fields[0])?.focus();
      };
      if (dialog.open) dialog.first();
    };
    dialog.addEventListener("submit", async (event) => {
      if (event.submitter?.formTarget || event.target.dataset.sent) return;
      event.preventDefault();
      const answer = await send(event.target, event.submitter);
      if (!answer) return;
      if (!answer.redirected) return show(answer.doc);
      result = answer;
      dialog.close();
    });
    shut.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => { dialog.remove(); from?.focus(); resolve(result); });
    fetch(address, { headers: { Accept: "text/html" } }).then(page).then((doc) => { show(doc); if (dialog.isConnected) { dialog.showModal(); dialog.first(); } })
      .catch(() => location.assign(address));
  });
}

// Send a form without leaving the page; nothing is returned where the browser has to go on by itself.
async function send(form, submitter) {
  form.dataset.sent = "yes";
  const has = form.enctype === "multipart/form-data";
  const to = submitter?.hasAttribute("formaction") ? submitter.formAction : form.action;
  try {
    const answer = await fetch(to, { method: "POST", body: has ? new FormData(form, submitter) : typed(form, submitter) });
    const doc = await page(answer);
    if (doc.querySelector("main")) return { url: answer.url, redirected: answer.redirected, doc };
    location.reload();
  } catch {
    say("The server could not be reached: try again.");
  }
  delete form.dataset.sent;
}

// What an answer shows takes the place of the page, as if it had been opened.
function take({ url, doc }) {
  if (!doc.querySelector(".side")) return location.assign(url);
  document.title = doc.title;
  if (url !== location.href) history.pushState({}, "", url);
  for (const part of ["main", ".side nav"]) {
    const [old, now] = [document.querySelector(part), doc.querySelector(part)];
    if (old && now) old.replaceChildren(...[...now.childNodes].map((each) => document.adoptNode(each)));
  }
  const main = document.querySelector("main");
  main.dataset.state = doc.querySelector("main").dataset.state ?? ""; // a page that is live goes on from here
  enhance(main);
  dispatchEvent(new Event("replaced"));
  forgetSent();
  const notice = main.querySelector(".notice");
  if (notice) say(notice.textContent.trim());
  main.focus({ preventScroll: true });
  (notice ?? main).scrollIntoView({ block: "nearest" });
}
addEventListener("popstate", () => location.reload());

// On the page of a record its actions are carried out in place, and those that ask for something do so in a dialog.
addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-dialog]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const answer = await openForm(link.href, link);
  if (answer) take(answer);
});
addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-here]") || form.closest("dialog") || event.submitter?.formTarget || event.defaultPrevented || form.dataset.sent) return;
  event.preventDefault();
  const answer = await send(form, event.submitter);
  if (answer) take(answer);
}, true);

function enhance(root) {
  root.querySelectorAll("fieldset[data-rows]").forEach(rows);
  root.querySelectorAll("select[data-pick]").forEach(pick);
  for (const form of root.querySelectorAll("form.editor")) {
    sums(form);
    if (!form.closest("dialog")) draft(form);
    form.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && form.requestSubmit());
  }
}
enhance(document.querySelector("main"));
forgetSent();
