// One person's day, with JavaScript: a client signs on the screen. Photos are the matter of photos.js.

const put = (field, blob, name) => {
  const files = new DataTransfer();
  files.items.add(new File([blob], name, { type: blob.type }));
  field.files = files.files;
};
const drawn = (canvas, type) => new Promise((resolve) => canvas.toBlob(resolve, type));

// A signature is black on white, in either look: it is kept as a picture.
const pens = new WeakMap();
const at = (canvas, event) => {
  const box = canvas.getBoundingClientRect();
  return [(event.clientX - box.left) * canvas.width / box.width, (event.clientY - box.top) * canvas.height / box.height];
};
function clear(canvas) {
  const pen = canvas.getContext("2d");
  Object.assign(pen, { fillStyle: "white", strokeStyle: "black", lineWidth: 3, lineCap: "round", lineJoin: "round" });
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pens.delete(canvas);
}
addEventListener("pointerdown", (event) => {
  const canvas = event.target.closest?.(".sign canvas");
  if (!canvas || event.button) return;
  event.preventDefault();
  if (!pens.has(canvas)) clear(canvas);
  canvas.setPointerCapture(event.pointerId);
  canvas.closest("form").querySelector("[role=alert]").textContent = "";
  pens.set(canvas, at(canvas, event));
  draw(canvas, event);
});
addEventListener("pointermove", (event) => {
  const canvas = event.target.closest?.(".sign canvas");
  if (canvas?.hasPointerCapture(event.pointerId)) draw(canvas, event);
});
function draw(canvas, event) {
  const pen = canvas.getContext("2d");
  pen.beginPath();
  pen.moveTo(...pens.get(canvas));
  for (const each of [...event.getCoalescedEvents(), event]) pen.lineTo(...at(canvas, each));
  pen.stroke();
  pens.set(canvas, at(canvas, event));
}
addEventListener("click", ({ target: button }) => {
  if (button.matches?.("[data-clear]")) clear(button.form.querySelector("canvas"));
});
addEventListener("submit", (event) => {
  const form = event.target, field = form.matches(".sign") && form.elements.file;
  if (!field || field.files.length) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const canvas = form.querySelector("canvas"), told = form.querySelector("[role=alert]");
  told.textContent = pens.has(canvas) ? "" : "Nothing is written yet.";
  if (!pens.has(canvas)) return;
  const who = form.querySelector("[data-who]").value.replace(/[\\/:*?"<>|\p{C}]/gu, " ").trim();
  drawn(canvas, "image/png").then((blob) => { put(field, blob, `Signature of ${who}.png`); form.requestSubmit(); });
}, true);

function improve() {
  for (const each of document.querySelectorAll("[data-sign]")) each.hidden = false;
  for (const each of document.querySelectorAll(".shoot")) each.classList.add("quick");
}
improve();
addEventListener("replaced", improve);
