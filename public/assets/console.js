// The console works without this. It adds "Copy" beside secrets, ids and commands, where the browser can copy, keeps a double click from
// sending a form twice (the second answer would take the place of a secret that the first one shows), and renews a page on which
// something goes on.
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

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button, document.getElementById(button.dataset.copy).value));
  }
  for (const shown of document.querySelectorAll("main code:not(.word, summary code), pre.command")) {
    const text = shown.textContent.trim();
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${text}`);
    button.addEventListener("click", () => void copy(button, text));
    shown.after(button);
  }
}

addCopyButtons();

const RENEWAL_MILLISECONDS = 3000;

/** Shows the page as it is now. Somebody who is at one of its buttons or has been signed out keeps what they see. */
async function renew(said) {
  const main = document.querySelector("main");
  const response = await fetch(location.pathname, { redirect: "error" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const now = page.querySelector("main");
  if (!response.ok || !now || main.contains(document.activeElement)) return;
  main.replaceChildren(...now.childNodes);
  addCopyButtons();
  const state = main.querySelector(".badge")?.textContent ?? "";
  if (said.textContent !== state) said.textContent = state;
}

if (document.querySelector("[data-renewed]")) {
  const said = document.createElement("p");
  said.className = "unseen";
  said.setAttribute("role", "status");
  document.body.append(said);
  const timer = setInterval(() => {
    if (!document.querySelector("[data-renewed]")) clearInterval(timer);
    else if (document.visibilityState === "visible") renew(said).catch(() => undefined);
  }, RENEWAL_MILLISECONDS);
}
