// Runs before the page is drawn, so that it is never drawn in the other theme first.
try {
  const chosen = localStorage.getItem("billycan-explorer-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing follows its own theme.
}
