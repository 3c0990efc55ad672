/**
 * Checks whether a proof's `htu` names the target of a request (RFC 9449 §4.3). Query and fragment are ignored, and URLs are
 * compared in their normal form (RFC 3986 §6.2.2, §6.2.3).
 *
 * @param url the issuer, and the path as the router matched it
 */
export function isSameTarget(htu: unknown, url: string): boolean {
  if (htu === url) return true;
  const given = typeof htu === "string" ? normalised(htu) : undefined;
  return given !== undefined && given === normalised(url);
}

/** @returns `undefined` for anything but an http or https URL without a user name */
function normalised(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  if (username !== "" || password !== "") return undefined;
  return origin + pathname.replace(/%[0-9a-f]{2}/gi, unescapeUnreserved);
}

/** Decodes letters, digits, `-`, `.`, `_` and `~`, which mean the same escaped or not; everything else stays escaped. */
function unescapeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : escaped.toUpperCase();
}
