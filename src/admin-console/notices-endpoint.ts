import type { ConsoleContext } from "./http.ts";

/** What pages say after a form, by their path below `/admin` and the word in `done`. */
export const NOTICES = {
  "/audit/receiver": {
    saved: "Receiver saved. This change is the first entry that it gets: within a minute, or select “Deliver now”.",
    stopped: "Delivery is off.",
    authorized: "Header saved. The next delivery sends it.",
    unauthorized: "Header removed.",
    delivered: "Everything has been delivered.",
    tried: "Some entries could not be delivered: see below.",
  },
  "/settings": {
    saved: "Settings saved. Pages show them within 10 seconds.",
    logo: "Logo saved. Pages show it within 10 seconds.",
    "no-logo": "Logo removed.",
    ended: "Access revoked for every app. Tokens stop working within 10 seconds.",
    refused: "Tokens of identity providers will be refused within 10 seconds.",
    taken: "Tokens of identity providers will be accepted again within 10 seconds.",
  },
  "/issuers/issuer": {
    added: "Provider added. Its tokens will be accepted within 10 seconds.",
    saved: "Changes saved. They take effect within 10 seconds.",
    disabled: "Provider disabled. Its tokens will be refused within 10 seconds.",
    enabled: "Provider enabled. Its tokens will be accepted within 10 seconds.",
  },
  "/issuers": {
    removed: "Provider removed. Its tokens will be refused within 10 seconds.",
  },
  "/single-sign-on": {
    saved: "Connection saved. Sign-ins use it within 10 seconds.",
    added: "Single sign-on added. People can choose it within 10 seconds.",
    removed: "Single sign-on removed. What people got there ends within 10 seconds.",
  },
} as const;

type Page = keyof typeof NOTICES;

/** The words of a page's notices. */
export type WordOf<Path extends Page> = keyof (typeof NOTICES)[Path] & string;

/**
 * Redirects to a page, which says what was done.
 *
 * @param address the page's address, if its path has parameters
 */
export function done<Path extends Page>(
  c: ConsoleContext,
  path: Path,
  word: WordOf<Path>,
  address = `/admin${path}`,
): Response {
  return c.redirect(`${address}${address.includes("?") ? "&" : "?"}done=${word}`, 303);
}
