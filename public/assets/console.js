// The console and the start page work without this script. It adds a "Copy" button to secrets, ids and commands if the browser can copy, shows exact times in
// the browser's time zone, prevents a double click from submitting a form twice (the second response would replace one that shows a secret),
// and reloads pages that show progress.
const { copyWord, copiedWord } = document.currentScript.dataset;
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
  button.textContent = copiedWord;
  if (button.ariaLabel) button.ariaLabel = `${copiedWord} ${text}`;
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
    button.textContent = copyWord;
    button.setAttribute("aria-label", `${copyWord} ${text}`);
    button.addEventListener("click", () => void copy(button, text));
    shown.after(button);
  }
}

function showLocalTimes() {
  for (const time of document.querySelectorAll("time[title]")) time.title = new Date(time.dateTime).toLocaleString();
}

addCopyButtons();
showLocalTimes();

const RENEWAL_MILLISECONDS = 3000;

/** Reloads the page, unless one of its buttons has the focus or the person has been signed out. */
async function renew(said) {
  const main = document.querySelector("main");
  const response = await fetch(location.pathname, { redirect: "error" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const now = page.querySelector("main");
  if (!response.ok || !now || main.contains(document.activeElement)) return;
  main.replaceChildren(...now.childNodes);
  addCopyButtons();
  showLocalTimes();
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
