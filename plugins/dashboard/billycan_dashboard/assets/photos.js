// Photos, with JavaScript: smaller than the camera made them, as JPEG, with a still smaller picture inside (Exif), which
// lists show. It is made here once, and stays in the file.

const LONGEST = 2000, SMALL = 320, FEW = 150_000, MOST_INSIDE = 60_000;

const put = (field, blob, name) => {
  const files = new DataTransfer();
  files.items.add(new File([blob], name, { type: blob.type }));
  field.files = files.files;
};
const draw = (picture, longest, quality) => {
  const scale = Math.min(1, longest / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(picture.width * scale) || 1, Math.round(picture.height * scale) || 1];
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white"; // beneath what can be seen through
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
};

// A TIFF header, an empty first directory, and a second one that says where the small picture begins and how long it is.
function inside(small) {
  const exif = new DataView(new ArrayBuffer(4 + 6 + 56)), tiff = 10;
  exif.setUint16(0, 0xffe1);
  exif.setUint16(2, exif.byteLength - 2 + small.size);
  "Exif".split("").forEach((letter, i) => exif.setUint8(4 + i, letter.charCodeAt(0)));
  exif.setUint32(tiff, 0x4d4d002a);
  exif.setUint32(tiff + 4, 8);
  exif.setUint16(tiff + 8, 0);
  exif.setUint32(tiff + 10, 14);
  exif.setUint16(tiff + 14, 3);
  [[0x0103, 3, 6 << 16], [0x0201, 4, 56], [0x0202, 4, small.size]].forEach(([tag, form, value], i) => {
    exif.setUint16(tiff + 16 + 12 * i, tag);
    exif.setUint16(tiff + 18 + 12 * i, form);
    exif.setUint32(tiff + 20 + 12 * i, 1);
    exif.setUint32(tiff + 24 + 12 * i, value);
  });
  return [exif.buffer, small];
}
async function shrink(field) {
  const [file] = field.files, isHeic = /\.hei[cf]$/i.test(file.name) || /^image\/hei/.test(file.type);
  if (!isHeic && !file.type.startsWith("image/")) return "";
  let picture;
  try {
    picture = await createImageBitmap(file);
  } catch {
    // The server says what it takes, but not what to do about a kind of photo that only some browsers read.
    return isHeic ? "This browser cannot read HEIC photos. Save it as JPEG, or choose “Most compatible” in the camera's settings." : "";
  }
  if (!isHeic && file.size <= FEW && Math.max(picture.width, picture.height) <= LONGEST && ["image/jpeg", "image/png", "image/webp"].includes(file.type)) return "";
  const [large, small] = [await draw(picture, LONGEST, .85), await draw(picture, SMALL, .7)];
  const parts = small.size < MOST_INSIDE ? [large.slice(0, 2), ...inside(small), large.slice(2)] : [large];
  put(field, new Blob(parts, { type: "image/jpeg" }), `${file.name.replace(/\.\w+$/, "")}.jpg`);
  return "";
}
addEventListener("change", async ({ target: field }) => {
  if (!field.matches?.("[data-photo]") || !field.files.length) return;
  const wrong = await shrink(field);
  let told = field.form.querySelector("[data-wrong]");
  if (!told) {
    told = Object.assign(document.createElement("p"), { className: "fault" });
    told.setAttribute("role", "alert");
    told.dataset.wrong = "";
    (field.closest(".field, label") ?? field).after(told);
  }
  told.textContent = wrong;
  if (wrong) field.value = "";
  else if (field.dataset.photo === "send") field.form.requestSubmit();
});
