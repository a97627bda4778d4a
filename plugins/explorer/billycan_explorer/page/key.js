// The API key: only in this page's memory, or in this tab's session if ticked; never a live key without consent.

import { button, div, make, span } from "./dom.js";
import { send } from "./call.js";

const KEPT = "billycan-explorer-key";
const source = document.documentElement.dataset.keys;
const allowsLive = document.documentElement.dataset.live === "true";
const LIVE = "A live key changes the business’s real records, so this page takes sandbox keys only (svc_test_…).";
let key = "";
let zone;

/** The key for calls; empty without one. */
export const currentKey = () => key;

/** The time zone of its business, once there is a key. */
export const zoneOf = () => zone;

/** The key's place in the page: a field, or the owner of the key in use. Returns `ask()`, for a call without a key.
 * `meet(key)` is awaited before a key is shown as in use, and called with `""` when it is removed. */
export function keyPlace(place, warning, base, meet) {
  const plain = { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  const about = { id: "key-input", class: "secret mono", placeholder: "svc_test_…", "aria-describedby": "key-said" };
  const input = make("input", { ...plain, ...about });
  const keep = make("input", { type: "checkbox", id: "key-keep" });
  const said = make("p", { id: "key-said", role: "status" });
  const use = button("Use", () => take(input.value));
  const until = "Kept until you close this tab; otherwise, only until you reload the page";
  const asked = div("ask", make("label", { for: "key-input" }, allowsLive ? "API key" : "Sandbox key"), input, use,
    source && button("Get one from the dashboard", () => takeFromDashboard()),
    make("label", { class: "keep", title: until }, keep, " Keep in this tab"));
  const whose = span("whose");
  const held = make("div", { class: "held", hidden: true }, whose, button("Forget key", () => forget(true)));
  input.addEventListener("keydown", (event) => event.key === "Enter" && take(input.value));
  place.replaceChildren(asked, held, said);

  async function take(text) {
    const given = text.trim().replace(/^Bearer\s+/i, "");
    said.textContent = "";
    if (!given) return refuse("Paste a key first.");
    if (/svc_live_/i.test(given) && !allowsLive) return refuse(LIVE);
    if (!/^[\x21-\x7e]+$/.test(given)) return refuse("A key contains no spaces or accented letters.");
    use.disabled = true;
    const answer = await send({ method: "GET", url: `${base}v1/me`, headers: [] }, given);
    use.disabled = false;
    if (answer.failed) return refuse(answer.failed);
    if (answer.status === 401) return refuse("The server does not know this key, or it was revoked or has expired.");
    const { data } = JSON.parse(answer.text);
    if (data?.environment === "live" && !allowsLive) return refuse(LIVE);
    key = given;
    zone = data?.tenant?.timezone;
    input.value = "";
    await meet(key);
    if (keep.checked) sessionStorage.setItem(KEPT, key);
    const isLive = data?.environment === "live" || given.startsWith("svc_live_");
    const name = make("b", {}, data?.tenant?.name ?? "Key");
    whose.replaceChildren(name, ` ${isLive ? "live" : "sandbox"} `, make("code", {}, `…${key.slice(-4)}`));
    warning.textContent = isLive ? "Live key: every call here reads and changes the business’s real records." : "";
    warning.hidden = !isLive;
    document.documentElement.classList.toggle("is-live", isLive);
    show(true);
  }
  /** A new sandbox key for the signed-in person: the first answer contains the token that the second request sends. */
  async function takeFromDashboard() {
    try {
      const offer = await fetch(base + source);
      if (offer.redirected || !offer.ok) return refuse("Sign in to the dashboard as a developer first.");
      const body = new URLSearchParams(await offer.json());
      const made = await fetch(base + source, { method: "POST", body });
      return take((await made.json()).key);
    } catch {
      return refuse("The dashboard did not respond. Try again.");
    }
  }
  function refuse(why) {
    forget(false);
    said.textContent = why;
    input.focus();
  }
  function forget(focus) {
    if (key) meet("");
    key = input.value = "";
    zone = undefined;
    sessionStorage.removeItem(KEPT);
    warning.hidden = true;
    document.documentElement.classList.remove("is-live");
    show(false);
    if (focus) input.focus();
  }
  function show(isHeld) {
    held.hidden = !isHeld;
    asked.hidden = isHeld;
  }
  const kept = sessionStorage.getItem(KEPT);
  keep.checked = Boolean(kept);
  if (kept) take(kept);
  return { ask: () => refuse("Paste a key first. To make one, run: billycan keys create") };
}
