// The search page works without this script. While somebody types, it lists the first documents that they may see, in the pattern of
// a combobox: arrow keys choose one, Enter opens it, Escape closes the list, and Enter without a choice searches as always.
const PAUSE_MILLISECONDS = 150;
const input = document.getElementById("q");
const list = document.createElement("ul");
list.id = "suggestions";
list.hidden = true;
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", input.form.querySelector("button").textContent.trim());
input.after(list);
for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id], ["aria-expanded", "false"]]) {
  input.setAttribute(name, value);
}

let timer;
let asking;
let chosen = -1;

function close() {
  clearTimeout(timer);
  asking?.abort();
  list.hidden = true;
  choose(-1);
  input.setAttribute("aria-expanded", "false");
}

function choose(index) {
  chosen = index;
  [...list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
  if (index < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", list.children[index].id);
  list.children[index]?.scrollIntoView({ block: "nearest" });
}

function optionOf({ title, url, datasource }, index) {
  const option = document.createElement("li");
  option.id = `suggestion-${index}`;
  option.dataset.url = url;
  option.setAttribute("role", "option");
  option.dir = "auto";
  const source = document.createElement("span");
  source.className = "quiet";
  source.textContent = datasource;
  option.append(title, " ", source);
  return option;
}

async function suggest() {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const response = await fetch(`/search/suggestions?${new URLSearchParams({ q: input.value })}`, { redirect: "error", signal });
  if (!response.ok) return close();
  const { suggestions } = await response.json();
  list.replaceChildren(...suggestions.map(optionOf));
  choose(-1);
  list.hidden = suggestions.length === 0;
  input.setAttribute("aria-expanded", String(!list.hidden));
}

input.addEventListener("input", () => {
  clearTimeout(timer);
  if (input.value.trim().length < 2) return close();
  timer = setTimeout(() => suggest().catch(() => undefined), PAUSE_MILLISECONDS);
});
input.addEventListener("keydown", (event) => {
  if (list.hidden || event.isComposing) return;
  const last = list.children.length - 1;
  if (event.key === "ArrowDown") choose(chosen === last ? -1 : chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen < 0 ? last : chosen - 1);
  else if (event.key === "Escape") close();
  else if (event.key === "Enter" && chosen >= 0) location.assign(list.children[chosen].dataset.url);
  else return;
  event.preventDefault();
});
input.addEventListener("blur", close);
input.form.addEventListener("submit", close);
// Before the field loses the focus, which closes the list.
list.addEventListener("pointerdown", (event) => event.preventDefault());
list.addEventListener("click", (event) => location.assign(event.target.closest("[role=option]").dataset.url));
