// What is better with JavaScript; every page works without it.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
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
}

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

// The way back to a list leads to where one came from, with its filters and its page.
for (const back of document.querySelectorAll(".back a")) {
  if (document.referrer.startsWith(`${back.href}?`)) back.href = document.referrer;
}
