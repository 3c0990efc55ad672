import { html, raw } from "hono/html";
import type { Interaction } from "oidc-provider";
import type { Person } from "./people.ts";

/**
 * Renders the page on which a person chooses who they are. It works without JavaScript: every person is a submit button.
 */
export async function pickerPage(interaction: Interaction, people: readonly Person[]): Promise<string> {
  const { uid, params } = interaction;
  const hint = params.login_hint?.toLowerCase();
  const expected = people.find((person) => person.email.toLowerCase() === hint);
  const others = people.filter((person) => person !== expected);
  return layout(
    "Who are you?",
    html`<header>
        <p class="badge">Local stand-in</p>
        <h1>Who are you?</h1>
        <p>
          This page stands in for your organisation’s sign-in on this computer. Choose a person to continue to
          <strong>${destination(params.redirect_uri)}</strong>. There are no passwords.
        </p>
      </header>
      <form method="post" action="/interaction/${uid}/login">
        <ul>
          ${expected ? personItem(expected, "The application expects") : ""}
          ${others.map((person) => personItem(person))}
        </ul>
      </form>
      <form method="post" action="/interaction/${uid}/cancel">
        <button class="plain">Cancel and go back</button>
      </form>`,
  );
}

export async function errorPage(title: string, text: string): Promise<string> {
  return layout(
    title,
    html`<header>
      <p class="badge">Local stand-in</p>
      <h1>${title}</h1>
      <p>${text}</p>
      <p class="quiet">This page stands in for your organisation’s sign-in on this computer.</p>
    </header>`,
  );
}

export async function frontPage(people: readonly Person[]): Promise<string> {
  return layout(
    "Local sign-in",
    html`<header>
        <p class="badge">Local stand-in</p>
        <h1>Nothing to do here yet</h1>
        <p>
          This server stands in for the sign-in of the organisation “Acme” on this computer. An application sends you here when it
          needs to know who you are; then you choose one of these people.
        </p>
      </header>
      <ul>
        ${people.map((person) => html`<li><div class="person">${personCard(person)}</div></li>`)}
      </ul>
      <p><a href="/.well-known/openid-configuration">Its OpenID Connect configuration</a></p>`,
  );
}

function personItem(person: Person, note?: string) {
  return html`<li>
    <button class="person ${note ? "expected" : ""}" name="sub" value="${person.sub}">
      ${note ? html`<span class="note">${note}</span>` : ""}${personCard(person)}
    </button>
  </li>`;
}

function personCard(person: Person) {
  const groups = person.groups.map((group) => html`<span class="group">${group}</span>`);
  return html`<span class="initials" aria-hidden="true">${initials(person.name)}</span>
    <span class="who">
      <span class="name">${person.name}</span>
      <span class="quiet">${person.job}</span>
      <span class="quiet email">${person.email}</span>
    </span>
    <span class="groups">${groups.length > 0 ? groups : html`<span class="group none">no group</span>`}</span>`;
}

function initials(name: string): string {
  const words = name.split(" ");
  return words.map((word) => word.charAt(0)).join("");
}

/** Returns the host that the browser returns to, which a person would recognise in the address bar. */
function destination(redirectUri: string | undefined): string {
  return redirectUri !== undefined && URL.canParse(redirectUri) ? new URL(redirectUri).host : "the application";
}

async function layout(title: string, content: unknown): Promise<string> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Local sign-in</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;
  // A plain string: the template returns an object, which servers may treat as data.
  return String(page);
}

const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f2f4f3; --card: #ffffff; --ink: #16211d; --quiet: #55645e; --line: #d5ddd9;
  --accent: #0b6b53; --accent-soft: #e2f2ec; --badge: #7a4b00; --badge-soft: #fdf0d5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101614; --card: #19211e; --ink: #e9f0ed; --quiet: #a3b2ac; --line: #32403a;
    --accent: #5fd0ae; --accent-soft: #17352c; --badge: #f3c677; --badge-soft: #3a2c10;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 36rem; margin: 0 auto; padding: clamp(1.25rem, 6vh, 4rem) 1rem 2rem; }
h1 { margin: 0.5rem 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -0.01em; }
header p { margin: 0.5rem 0 0; overflow-wrap: anywhere; }
a { color: var(--accent); }
.badge {
  display: inline-block; margin: 0; padding: 0.125rem 0.625rem; border-radius: 1rem;
  background: var(--badge-soft); color: var(--badge); font-size: 0.8125rem; font-weight: 600;
}
.quiet { color: var(--quiet); font-size: 0.875rem; }
ul { list-style: none; margin: 1.5rem 0 1rem; padding: 0; display: grid; gap: 0.5rem; }
.person {
  width: 100%; min-height: 4rem; padding: 0.75rem 1rem; display: grid; align-items: center; text-align: start;
  grid-template-columns: auto 1fr auto; gap: 0.125rem 0.875rem;
  font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem;
}
button { cursor: pointer; }
button.person:hover { border-color: var(--accent); background: var(--accent-soft); }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.expected { border: 2px solid var(--accent); }
.note { grid-column: 1 / -1; margin-bottom: 0.375rem; color: var(--accent); font-size: 0.8125rem; font-weight: 600; }
.initials {
  width: 2.5rem; height: 2.5rem; display: grid; place-items: center; border-radius: 50%;
  background: var(--accent-soft); color: var(--accent); font-weight: 600; font-size: 0.875rem;
}
.who { display: grid; min-width: 0; }
.name { font-weight: 600; }
.email { overflow-wrap: anywhere; }
.groups { display: flex; flex-wrap: wrap; gap: 0.25rem; justify-content: end; }
.group {
  padding: 0 0.5rem; border-radius: 1rem; border: 1px solid var(--line);
  font-size: 0.8125rem; color: var(--quiet); background: var(--page);
}
.none { border-style: dashed; background: none; }
.plain {
  font: inherit; font-size: 0.9375rem; min-height: 2.75rem; padding: 0.5rem 0.75rem; margin-inline-start: -0.75rem;
  background: none; border: 0; border-radius: 0.5rem; color: var(--quiet); text-decoration: underline;
  text-underline-offset: 0.2em;
}
.plain:hover { color: var(--ink); }
@media (max-width: 30rem) {
  .person { grid-template-columns: auto 1fr; }
  .groups { grid-column: 2; justify-content: start; padding-top: 0.25rem; }
}
`;
