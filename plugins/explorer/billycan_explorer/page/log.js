// The requests of the key as the server logged them, whoever made them: read anew after each call while the box is ticked.

import { badge } from "./answer.js";
import { send } from "./call.js";
import { button, make, span } from "./dom.js";
import { currentKey } from "./key.js";

const PAUSE_MS = 1500; // the server writes its log once a second
const HERE = "/v1/requests";

/** Show the log in a list; `open(method, route)` returns the action of a click. Returns `look()`, for once a call was made. */
export function logOf(box, list, said, base, open) {
  let waiting;

  async function read() {
    const key = currentKey();
    if (!box.checked || !key) return;
    const answer = await send({ method: "GET", url: `${base}${HERE.slice(1)}?per_page=50`, headers: [] }, key);
    said.textContent = answer.status === 200 ? "" : `Could not be read: ${answer.failed ?? answer.status}.`;
    if (answer.status === 200 && key === currentKey()) {
      list.replaceChildren(...JSON.parse(answer.text).data.filter(({ route }) => route !== HERE).map(lineOf));
    }
  }

  function lineOf({ at, method, route, status, milliseconds, request_id: id, code }) {
    const parts = [
      span(`method ${method.toLowerCase()}`, method === "DELETE" ? "DEL" : method), badge({ status, reason: code }),
      span("path", route?.replace(/^\/v1\//, "/") ?? "unknown path"),
      span("mono", `${new Date(at).toLocaleTimeString()} · ${milliseconds} ms · ${id}`),
    ];
    const follow = route && open(method, route);
    return make("li", {}, follow ? button(parts, follow, { class: "" }) : span("", parts));
  }

  box.addEventListener("change", read);
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(read, PAUSE_MS);
  };
}
