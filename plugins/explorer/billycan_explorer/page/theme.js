// Runs before the page is drawn, so that it never flashes in the other theme.
try {
  const chosen = localStorage.getItem("billycan-explorer-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage, the browser's own theme applies.
}
