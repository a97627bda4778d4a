// What is better with JavaScript; every page works without it.

addEventListener("click", async ({ target: button }) => {
  if (!button.matches?.("[data-copy]")) return;
  const text = button.parentElement.querySelector("pre").textContent;
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = words), 2000);
});

// What scripts alone can do shows where they run, and again after a part of the page was replaced.
function improve() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
  // The way back to a list leads to where one came from, with its filters and its page.
  for (const back of document.querySelectorAll(".back a")) {
    if (document.referrer.startsWith(`${back.href}?`)) back.href = document.referrer;
  }
}
improve();
addEventListener("replaced", improve);

// Of many sections, the one that is open is in sight.
document.querySelector(".side nav [aria-current]")?.scrollIntoView({ block: "nearest" });

// <live-part every="2">: fetches its own page and takes over the part with its id, for as long as it says so.
customElements.define("live-part", class extends HTMLElement {
  connectedCallback() {
    const seconds = Number(this.getAttribute("every"));
    if (seconds) this.timer = setTimeout(() => this.refresh(), seconds * 1000);
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
  }

  async refresh() {
    if (document.hidden || this.contains(document.activeElement)) return this.connectedCallback();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = answer.ok && page.getElementById(this.id);
      if (part) return this.replaceWith(document.adoptNode(part));
    } catch {
      // The next try may reach the server again.
    }
    this.connectedCallback();
  }
});

// <form data-go="0">: goes on by itself, batch after batch, after so many seconds.
const onward = document.querySelector("form[data-go]");
if (onward) setTimeout(() => onward.requestSubmit(), 400 + 1000 * onward.dataset.go);

// Passkeys: the page asks what to prove, the browser proves it, and the form carries the proof.
for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const told = form.querySelector("[role=alert]");
    told.textContent = "";
    try {
      const sent = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.dataset.options, { method: "POST", body: sent });
      if (!answer.ok) throw new Error(await faultsOf(answer) || "Please open this page again.");
      const options = await answer.json();
      const publicKey = form.dataset.passkey === "create"
        ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
        : PublicKeyCredential.parseRequestOptionsFromJSON(options);
      const credential = await navigator.credentials[form.dataset.passkey]({ publicKey });
      form.elements.credential.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch (error) {
      told.textContent = error.name === "InvalidStateError"
        ? "This device has a passkey here already."
        : error.name === "NotAllowedError" ? "Nothing was chosen." : error.message;
    }
  });
}

// What the server says is wrong with a form, in the page that it answers.
async function faultsOf(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const said = page.querySelectorAll(".notice.bad li");
  const all = said.length ? said : page.querySelectorAll(".notice.bad p");
  return [...all].map((each) => `${each.textContent.trim().replace(/\.$/, "")}.`).join(" ");
}

// A form that was sent is not sent again by a second click, unless that only shows something in a frame.
addEventListener("submit", (event) => {
  if (event.submitter?.formTarget) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => delete form.dataset.sent));

// The palette: / or Ctrl K finds records, pages, and what can be done on this page. Its records are those of the search
// page, which does the same without JavaScript.
const seek = document.querySelector("form.seek");
if (seek) {
  const palette = document.createElement("dialog");
  palette.className = "palette";
  palette.setAttribute("aria-label", "Search everything");
  palette.innerHTML = `<input type="search" maxlength="200" autocomplete="off" spellcheck="false" role="combobox"
    aria-expanded="true" aria-autocomplete="list" aria-controls="palette" aria-label="Search everything"
    placeholder="Find a client, a number, a page or an action">
    <ul id="palette" role="listbox" aria-label="Found"></ul>
    <p class="keys" aria-hidden="true"><kbd>↑</kbd> <kbd>↓</kbd> to choose <kbd>Enter</kbd> to open <kbd>Esc</kbd> to close</p>
    <p class="unseen" role="status"></p>`;
  document.body.append(palette);
  const [field, list, told] = [palette.querySelector("input"), palette.querySelector("ul"), palette.querySelector("[role=status]")];
  const here = [...document.querySelectorAll(".head .actions :is(a, button)")].filter((each) => each.offsetParent);
  const pages = [...document.querySelectorAll(".side nav a")];
  let waiting, asked, chosen, entered = false;

  const option = (target, inside) => {
    const item = document.createElement("li");
    item.setAttribute("role", "option");
    item.append(...inside);
    item.addEventListener("click", () => { palette.close(); target.click(); });
    item.addEventListener("pointermove", () => choose(item));
    return item;
  };
  const named = (target, kind) => {
    const [what, one] = [document.createElement("span"), document.createElement("span")];
    [what.className, one.className] = ["what", "soft one"];
    [what.textContent, one.textContent] = [target.textContent.trim(), kind];
    return option(target, [what, one]);
  };
  const choose = (item) => {
    if (chosen === item) return;
    chosen?.setAttribute("aria-selected", "false");
    chosen = item;
    if (!item) return field.removeAttribute("aria-activedescendant");
    item.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  };
  const show = (records) => {
    const words = field.value.trim().toLowerCase();
    const fits = (each) => ` ${each.textContent.trim().toLowerCase()}`.includes(` ${words}`);
    const known = new Set();
    const others = [...here.filter(fits).map((each) => named(each, "On this page")),
      ...pages.filter(fits).filter((each) => !known.has(each.href) && known.add(each.href)).map((each) => named(each, "Page"))];
    const items = [...records.map((link) => option(link, [...link.cloneNode(true).childNodes])), ...others.slice(0, 9)];
    items.forEach((item, i) => (item.id = `palette-${i}`));
    list.replaceChildren(...items);
    chosen = undefined;
    choose(items[0]);
    waiting = undefined;
    if (entered && chosen) return chosen.click();
    entered = false;
    told.textContent = words ? `${items.length || "None"} found` : "";
    list.toggleAttribute("data-none", words && !items.length);
  };
  const look = async () => {
    const text = field.value.trim();
    asked?.abort();
    if (!text) return show([]);
    asked = new AbortController();
    try {
      const answer = await fetch(`${seek.action}?q=${encodeURIComponent(text)}`, { signal: asked.signal });
      if (answer.redirected || !answer.ok) return show([]);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      show([...page.querySelectorAll("[data-found]")].map((link) => document.adoptNode(link)));
    } catch (error) {
      if (error.name !== "AbortError") show([]);
    }
  };
  const open = (text = "") => {
    if (palette.open) return;
    [field.value, waiting, entered] = [text, undefined, false];
    palette.showModal();
    show([]);
    if (text) look();
  };

  field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 120); entered = false; });
  field.addEventListener("keydown", (event) => {
    const items = [...list.children], at = items.indexOf(chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) choose(items.at(to % items.length));
    else if (event.key === "Escape") palette.close(); // a search field would only be emptied
    else if (event.key === "Enter" && waiting) entered = true; // opens the first that is found for what was typed
    else if (event.key === "Enter") chosen?.click();
    else return;
    event.preventDefault();
  });
  palette.addEventListener("click", (event) => event.target === palette && palette.close());
  for (const way of [seek.elements.q, document.querySelector(".seek-link")]) {
    way?.addEventListener("click", (event) => { event.preventDefault(); open(); });
  }
  seek.elements.q.addEventListener("input", () => { open(seek.elements.q.value); seek.reset(); });
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const asks = (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) || (event.key === "/" && !typing
      && !event.ctrlKey && !event.metaKey && !event.altKey);
    if (!asks || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    open();
  });
}
