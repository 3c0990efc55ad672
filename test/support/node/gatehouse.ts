import { inject } from "vitest";
import { ScriptedBrowser } from "../../../scripts/local/scripted-browser.ts";
import type { GatehouseUnderTest } from "../provided.d.ts";
import { whenStarted } from "./background-start.ts";

const {
  port,
  approvalInstance: APPROVAL_INSTANCE,
  setupInstance: SETUP_INSTANCE,
  folder,
  sso,
} = await whenStarted<GatehouseUnderTest>(inject("gatehouse"));

/** The folder of its configuration and its local database. */
export const GATEHOUSE_FOLDER = folder;

/** The SSO of all instances, with the client that is registered there. */
export const SSO = sso;

/** The instance's origin, and thereby its issuer, under the name that most apps of developers use. */
export const ORIGIN = `http://localhost:${port}`;

/** The same instance under another name: a different origin and issuer. */
export const OTHER_ORIGIN = `http://127.0.0.1:${port}`;

/** The same instance under the name that only browsers resolve. */
export const BROWSER_ORIGIN = `http://acme.localhost:${port}`;

/** Another instance, where apps that register need an administrator's approval. */
export const APPROVAL_ORIGIN = `http://${APPROVAL_INSTANCE}.localhost:${port}`;

/** An instance without an SSO, which nobody can sign in to yet. */
export const SETUP_ORIGIN = `http://${SETUP_INSTANCE}.localhost:${port}`;

/** The redirect URI of the tests' apps. A scripted browser stops before it goes there. */
export const REDIRECT_URI = "http://127.0.0.1:33418/callback";

/**
 * Plays a person: opens an app's authorization request, signs in, and answers the consent page.
 *
 * @returns the redirect URI with the response
 */
export async function answerConsent(
  url: URL | string,
  sub: string,
  decision: "allow" | "deny" = "allow",
): Promise<URL> {
  const browser = new ScriptedBrowser(new URL(url).searchParams.get("redirect_uri") ?? REDIRECT_URI);
  const picker = await browser.visit(String(url));
  if ("leftFor" in picker) throw new Error(`refused before the sign-in: ${picker.leftFor}`);
  const consent = await browser.press(picker, { name: "sub", value: sub });
  if ("leftFor" in consent) throw new Error(`refused after the sign-in: ${consent.leftFor}`);
  const answer = await browser.press(consent, { name: "decision", value: decision });
  if (!("leftFor" in answer)) throw new Error(`consent answered ${answer.status}: ${answer.html}`);
  return new URL(answer.leftFor);
}

/**
 * Does {@link answerConsent} as a person who allows the app, and then opens the redirect URI, where the app listens on this
 * machine.
 */
export async function allowInBrowser(url: string, sub: string): Promise<void> {
  await fetch(await answerConsent(url, sub));
}

/** Searches, and returns the response even if it is an error. */
export function search(origin: string, token: string): Promise<Response> {
  return fetch(`${origin}/rest/api/v1/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: "token", pageSize: 100 }),
  });
}

/** Returns the titles that a search finds, sorted. @throws if the search is refused */
export async function titlesFor(origin: string, token: string): Promise<string[]> {
  const response = await search(origin, token);
  if (response.status !== 200) throw new Error(`search answered ${response.status}: ${await response.text()}`);
  const { results } = (await response.json()) as { results: { title: string }[] };
  return results.map(({ title }) => title).sort();
}
