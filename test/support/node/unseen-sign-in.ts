import type { BrowserContext } from "playwright-core";
import { isLocalName, requestByAddress } from "../../../scripts/local/local-request.ts";
import { type Fetch, ScriptedBrowser } from "../../../scripts/local/scripted-browser.ts";

/** Cookies in the form that test browsers accept. */
export type Cookies = Parameters<BrowserContext["addCookies"]>[0];

/**
 * Signs a person in without drawing pages. A browser takes five times as long to load and submit the pages of the SSO.
 *
 * @param start the URL where the person begins
 * @param name of the person, as the SSO shows it
 * @param begin the button before the SSO, if there is one
 * @returns the URL of the last page, and the cookies that the browser would have
 */
export async function signInUnseen(start: string, name: string, begin?: { name: string; value: string }) {
  const { origin } = new URL(start);
  const cookies = new Map<string, string>();
  const keepCookies: Fetch = async (url, init) => {
    const response = await fetchLocally(url, init);
    if (!url.startsWith(origin)) return response;
    for (const line of response.headers.getSetCookie()) {
      const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/;\s*max-age=0/i.test(line)) cookies.delete(key);
      else cookies.set(key, value);
    }
    return response;
  };
  const unseen = new ScriptedBrowser("app-of-nobody:", keepCookies);
  let page = await unseen.visit(start);
  const sub = name.split(" ")[0]?.toLowerCase() ?? name;
  for (const button of [...(begin ? [begin] : []), { name: "sub", value: sub }]) {
    if ("leftFor" in page) throw new Error(`refused in the sign-in: ${page.leftFor}`);
    page = await unseen.press(page, button);
  }
  if ("leftFor" in page) throw new Error(`refused after the sign-in: ${page.leftFor}`);
  const kept: Cookies = [...cookies].map(([key, value]) => ({ name: key, value, url: origin }));
  return { url: page.url, cookies: kept };
}

/** A `fetch` that also finds the names below `localhost`, which only browsers resolve. It follows no redirect. */
const fetchLocally: Fetch = async (url, { method = "GET", headers, body }) => {
  if (!isLocalName(new URL(url))) return fetch(url, { method, headers, body, redirect: "manual" } as RequestInit);
  const answer = await requestByAddress(new URL(url), {
    method,
    headers: headers as Record<string, string>,
    ...(typeof body === "string" ? { body } : {}),
  });
  const answered = new Headers();
  for (const [key, value = []] of Object.entries(answer.headers)) {
    for (const each of [value].flat()) answered.append(key, each);
  }
  const isEmpty = answer.text === "" || [204, 304].includes(answer.status);
  return new Response(isEmpty ? null : answer.text, { status: answer.status, headers: answered });
};
