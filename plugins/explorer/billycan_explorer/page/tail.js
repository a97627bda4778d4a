// What happens in the key's business, as webhooks tell it: followed while the box is ticked and the page is seen.

import { button, make, span } from "./dom.js";
import { send } from "./call.js";
import { currentKey } from "./key.js";

const PAUSE_MS = 3000;
const MOST = 50;

/** Follow events into a list; `ids(text)` returns the action of clicking an id. Returns `look()`, for once a call was made. */
export function tailOf(box, list, said, base, ids) {
  let last;
  let whose = "";
  let waiting;
  let isReading = false;

  async function look() {
    clearTimeout(waiting);
    if (!box.checked) return;
    const key = currentKey();
    if (key !== whose) [whose, last] = [key, undefined];
    if (key && !document.hidden && !isReading) {
      isReading = true;
      await read(key);
      isReading = false;
    }
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE_MS);
  }

  async function read(key) {
    // Those from before the box was ticked are not shown; the newest of them is where to go on.
    const query = last === undefined ? "per_page=1" : `per_page=100${last && `&after=${last}`}`;
    const answer = await send({ method: "GET", url: `${base}v1/events?${query}`, headers: [] }, key);
    said.textContent = answer.status === 200 ? "" : `Could not be read: ${answer.failed ?? answer.status}.`;
    if (answer.status === 410) last = undefined;
    if (answer.status !== 200 || key !== whose) return;
    const events = JSON.parse(answer.text).data;
    if (last !== undefined) show(last === "" ? events.reverse() : events);
    last = (last === undefined || last === "" ? events[0] : events.at(-1))?.id ?? last ?? "";
  }

  function show(events) {
    const lines = events.map(({ event, data, created_at }) => {
      const follow = data?.id && ids(data.id);
      const parts = [span("event", event), " ", span("mono", data?.id ?? "")];
      const title = new Date(created_at).toLocaleTimeString();
      return make("li", {}, follow ? button(parts, follow, { class: "", title }) : span("", parts));
    });
    list.prepend(...lines.reverse());
    while (list.children.length > MOST) list.lastChild.remove();
  }

  box.addEventListener("change", look);
  document.addEventListener("visibilitychange", look);
  return look;
}
