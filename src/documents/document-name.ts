import { foldName } from "#protocol/folding.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";
import type { DocumentName } from "./engine.ts";

const OUTSIDE_URLS = unicodePattern(String.raw`[\s\p{C}"<>\\^\x60{|}]`, "gu");

/**
 * Parses an id such as `datasource:id`. Datasource names contain no colon and aren't empty, so one ends at the first colon. Without a
 * name before a colon, the datasource is empty.
 */
export function nameOfId(id: string): Extract<DocumentName, { readonly externalId: string }> {
  const end = Math.max(id.indexOf(":"), 0);
  return { datasource: foldName(id.slice(0, end)), externalId: end === 0 ? id : id.slice(end + 1) };
}

/** Parses an id or a URL. */
export function parseDocumentName(text: string): DocumentName {
  return /^https?:\/\//i.test(text) ? { url: canonicalUrl(text) } : nameOfId(text);
}

/**
 * Percent-encodes what can't be in a URL and isn't beyond ASCII (RFC 3986 §2), and whatever nobody sees. Pipelines send file names with
 * spaces; clients refuse or cut such a URL, and a line break in it could pose as text of ours.
 */
export function canonicalUrl(url: string): string {
  // Browsers read a backslash in a path as a slash, and drop spaces at the ends.
  const read = url.trim().replace(/^[^?#]*/, (path) => path.replaceAll("\\", "/"));
  return read.toWellFormed().replace(OUTSIDE_URLS(), encodeURIComponent);
}
