// What is planned is moved by dragging it; the link beside it moves it by keys, and without JavaScript.

const SLOT = 30, NEAR = 4;
let held;

// Where only some of the days have room, today is among them.
for (const board of document.querySelectorAll(".board-scroll, .month-scroll")) {
  const today = board.querySelector(".is-today"), hours = board.querySelector(".hours")?.offsetWidth ?? 0;
  if (today) board.scrollLeft = today.getBoundingClientRect().left - board.getBoundingClientRect().left - hours;
}

const minutes = (slots, y) => {
  const { top } = slots.getBoundingClientRect();
  const height = parseFloat(getComputedStyle(slots).gridAutoRows);
  return Math.max(0, Math.floor((y - top) / height)) * SLOT;
};

addEventListener("pointerdown", (event) => {
  const entry = event.target.closest?.(".slots [data-move]");
  if (!entry || event.button || event.pointerType === "touch" || event.target.closest(".shift")) return;
  held = { entry, x: event.clientX, y: event.clientY, within: event.clientY - entry.getBoundingClientRect().top, moves: false };
});
addEventListener("dragstart", (event) => event.target.closest?.(".slots") && event.preventDefault());
addEventListener("pointermove", (event) => {
  if (!held) return;
  const [x, y] = [event.clientX - held.x, event.clientY - held.y];
  if (!held.moves && Math.hypot(x, y) < NEAR) return;
  held.moves = true;
  held.entry.classList.add("moved");
  held.entry.style.translate = `${x}px ${y}px`;
  held.entry.style.pointerEvents = "none";
});
addEventListener("pointerup", (event) => {
  if (!held) return;
  const { entry, moves, within } = held;
  held = undefined;
  if (!moves) return;
  addEventListener("click", (click) => { click.preventDefault(); click.stopPropagation(); }, { once: true, capture: true });
  setTimeout(() => dispatchEvent(new Event("click")), 0); // takes the listener away if no click comes
  const slots = document.elementFromPoint(event.clientX, event.clientY)?.closest(".slots");
  const form = document.querySelector("form.drag");
  const back = () => { entry.classList.remove("moved"); entry.style.translate = entry.style.pointerEvents = ""; };
  if (!slots) return back();
  const at = Number(document.querySelector(".board").dataset.first) * 60 + minutes(slots, event.clientY - within + 8);
  form.action = entry.dataset.move;
  form.elements.day.value = slots.dataset.day;
  form.elements.time.value = `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
  const whose = entry.closest(".slots").dataset.staff, staff = entry.dataset.staff.split(" ").filter(Boolean);
  form.elements.staff.value = slots.dataset.staff && slots.dataset.staff !== whose
    ? [...staff.filter((id) => id !== whose), slots.dataset.staff].join(" ") : staff.join(" ");
  form.dataset.here = "";
  delete form.dataset.sent;
  form.requestSubmit();
});
addEventListener("pointercancel", () => { held?.entry.classList.remove("moved"); if (held) held.entry.style.translate = ""; held = undefined; });
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !held) return;
  held.entry.classList.remove("moved");
  held.entry.style.translate = held.entry.style.pointerEvents = "";
  held = undefined;
});
