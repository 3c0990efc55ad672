// The console works without this. It adds "Copy" beside secrets, ids and commands, where the browser can copy, and keeps a double click
// from sending a form twice: the second answer would take the place of a secret that the first one shows.
let isSent = false;
document.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});
addEventListener("pageshow", () => {
  isSent = false;
});

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", () => void copy(button, document.getElementById(button.dataset.copy).value));
}

for (const shown of document.querySelectorAll("main code:not(.word, summary code), pre.command")) {
  if (!navigator.clipboard) break;
  const text = shown.textContent.trim();
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy ${text}`);
  button.addEventListener("click", () => void copy(button, text));
  shown.after(button);
}
