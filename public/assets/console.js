// The console works without this: it adds "Copy" beside a secret, where the browser can copy.
async function copy(button) {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
  button.textContent = "Copied";
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", () => void copy(button));
}
