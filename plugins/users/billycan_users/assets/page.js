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

// A form that was sent is not sent again by a second click.
addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => delete form.dataset.sent));
