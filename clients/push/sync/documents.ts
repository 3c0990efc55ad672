import { createHash } from "node:crypto";
import type { Extracted, Section } from "../formats/extracted.ts";
import type { Permissions } from "../permissions.ts";
import type { Item } from "../source.ts";
import { objectTypeOf } from "../sources/formats.ts";
import type { SentDocument } from "./service.ts";

/** Longer texts become several documents. Search reads about 100,000 letters of a document. */
export const PART_CHARACTERS_MAX = 60_000;

/** The text of a file, so that all of its documents fit in one request, which stores all or none. */
const TEXT_BYTES_MAX = 4_000_000;

const PARTS_MAX = 100;

/** Stands at the beginning of the hashes that this tool sends. It changes when the same file gives other documents than before. */
const MARK = "push1";

/** Where documents open. */
export interface Addresses {
  readonly serviceUrl: string;
  readonly datasource: string;
  /** With `{path}`, `{stem}` and `{name}`; absent: the page of the document in the service. */
  readonly template?: string | undefined;
}

/** Returns the id of an item's first document. The others have `#2` and so on behind it, which no path has. */
export function idOf(path: string): string {
  const id = path.replaceAll(/[%#]/g, encodeURIComponent);
  if (id.length <= 180) return id;
  return `${id.slice(0, 160).toWellFormed()}~${createHash("sha256").update(path).digest("hex").slice(0, 16)}`;
}

/** Returns the id of the item's first document, from the id of any of them. */
export function firstIdOf(id: string): string {
  return id.replace(/#\d+$/, "");
}

export function wasSentByThisTool(hash: string | undefined): boolean {
  return hash !== undefined && /^push\d+:/.test(hash);
}

/** Returns the hash of everything that an item's documents are made from, except when the file was copied here. */
export function hashOf(item: Item, bytes: Uint8Array, permissions: Permissions, url: string): string {
  const { path, author, createdAt, updatedAt } = item;
  return createHash("sha256")
    .update(JSON.stringify([path, url, author, createdAt, updatedAt, permissions]))
    .update(bytes)
    .digest("base64url");
}

/** Returns the ids that the service has of an item, if they are all that it should have; `undefined`: it has to be sent. */
export function unchangedIds(id: string, hash: string, known: ReadonlyMap<string, string | undefined>) {
  const [, count] = new RegExp(`^${MARK}:(\\d+):${hash}$`).exec(known.get(id) ?? "") ?? [];
  if (count === undefined) return undefined;
  const ids = Array.from({ length: Number(count) }, (_, at) => partId(id, at));
  return ids.every((each) => known.get(each) === known.get(id)) ? ids : undefined;
}

function partId(id: string, at: number): string {
  return at === 0 ? id : `${id}#${at + 1}`;
}

/** Returns where an item opens. */
export function urlOf({ path, url }: Item, { serviceUrl, datasource, template }: Addresses): string {
  if (url !== undefined) return url;
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const [name = ""] = encoded.split("/").slice(-1);
  if (template === undefined) return `${serviceUrl}/documents/${datasource}/${encodeURIComponent(idOf(path))}`;
  return template
    .replaceAll("{path}", encoded)
    .replaceAll("{stem}", encoded.replace(/\.\w+$/, ""))
    .replaceAll("{name}", name);
}

/**
 * Returns the documents of an item: one, or several if it is long or has sheets.
 *
 * @throws if it has no text, or too much
 */
export function documentsOf(
  item: Item,
  extracted: Extracted,
  {
    permissions,
    hash,
    url,
    hasTemplate,
  }: { permissions: Permissions; hash: string; url: string; hasTemplate: boolean },
): SentDocument[] {
  const { mimeType = "text/plain", summary, tags, author, createdAt, updatedAt } = extracted;
  const sections = extracted.sections.map((section) => ({ ...section, text: readable(section.text) }));
  const parts = partsOf(sections.filter(({ text }) => text !== ""));
  if (parts.length === 0) throw new NoText();
  const bytes = parts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > TEXT_BYTES_MAX || parts.length > PARTS_MAX) {
    throw new Error(`more than ${TEXT_BYTES_MAX / 1e6} MB of text or ${PARTS_MAX} sheets: split the file`);
  }
  const title = readable(extracted.title ?? titleOfPath(item.path))
    .slice(0, 300)
    .toWellFormed();
  const created = item.createdAt ?? createdAt;
  const updated = item.updatedAt ?? updatedAt ?? item.modifiedAt;
  const by = item.author ?? author;
  const id = idOf(item.path);
  return parts.map(({ label, text }, at) => ({
    id: partId(id, at),
    objectType: objectTypeOf(item.format),
    title:
      parts.length === 1 || label === undefined ? title : `${title}: ${readable(label).slice(0, 200).toWellFormed()}`,
    viewURL: at === 0 ? url : partUrl(url, { id, at, label, hasTemplate: hasTemplate || item.url !== undefined }),
    body: { mimeType, textContent: text },
    ...(summary !== undefined && at === 0 && { summary: readable(summary).slice(0, 1000).toWellFormed() }),
    ...(tags !== undefined && { tags: tags.slice(0, 50).map((tag) => readable(tag).slice(0, 200).toWellFormed()) }),
    ...(by && { author: by }),
    ...(created !== undefined && { createdAt: created }),
    ...(updated !== undefined && { updatedAt: updated }),
    contentHash: `${MARK}:${parts.length}:${hash}`,
    permissions,
  }));
}

/** A file without text, such as a scan: nothing is wrong with it, but nothing can be found either. */
export class NoText extends Error {
  constructor() {
    super("has no text");
  }
}

/** Gives each part its own address: of its page in the service, or the place in the file. */
function partUrl(
  url: string,
  part: { id: string; at: number; label: string | undefined; hasTemplate: boolean },
): string {
  if (!part.hasTemplate) return `${url}${encodeURIComponent(`#${part.at + 1}`)}`;
  const [, page] = /^pages? (\d+)/.exec(part.label ?? "") ?? [];
  return `${url.replace(/#.*$/, "")}#${page === undefined ? `part-${part.at + 1}` : `page=${page}`}`;
}

interface Part {
  readonly label: string | undefined;
  readonly text: string;
}

/** Joins short sections and cuts long ones. */
function partsOf(sections: readonly Section[]): Part[] {
  const groups: Section[][] = [];
  let length = Infinity;
  for (const section of sections.flatMap(cut)) {
    if (section.isAlone === true || length + section.text.length > PART_CHARACTERS_MAX) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(section);
    length = section.isAlone === true ? Infinity : length + section.text.length;
  }
  return groups.map((group, at) => ({
    label: labelOf(group) ?? (groups.length > 1 ? `part ${at + 1}` : undefined),
    text: group.map(({ text }) => text).join("\n\n"),
  }));
}

function labelOf(group: readonly Section[]): string | undefined {
  const labels = group.flatMap(({ label }) => (label === undefined ? [] : [label]));
  const [first] = labels;
  const [, unit, from] = /^(page|slide) (\d+)$/.exec(first ?? "") ?? [];
  const [, to] = /^(?:page|slide) (\d+)$/.exec(labels.at(-1) ?? "") ?? [];
  return unit !== undefined && to !== from ? `${unit}s ${from}–${to}` : first;
}

/** Cuts a long section between paragraphs, lines or words. */
function cut(section: Section): Section[] {
  const { text, label, isAlone = false } = section;
  if (text.length <= PART_CHARACTERS_MAX) return [section];
  const pieces: Section[] = [];
  for (let rest = text; rest !== ""; ) {
    const start = rest.slice(0, PART_CHARACTERS_MAX);
    const breaks =
      rest.length <= PART_CHARACTERS_MAX ? [rest.length] : ["\n\n", "\n", " "].map((at) => start.lastIndexOf(at));
    const end = breaks.find((at) => at > PART_CHARACTERS_MAX / 2) ?? Math.min(rest.length, PART_CHARACTERS_MAX);
    const number = pieces.length + 1;
    const piece = rest.slice(0, end).toWellFormed().trim();
    if (piece !== "")
      pieces.push({ label: number === 1 ? label : `${label ?? "part"} ${number}`, text: piece, isAlone });
    rest = rest.slice(end);
  }
  return pieces;
}

/** Returns text without control characters, which requests can't contain. */
function readable(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll("\r\n", "\n")
      // oxlint-disable-next-line no-control-regex -- control characters are what is removed
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]/g, "")
      .trim()
  );
}

/** Makes a title from a file's name. Exports of Notion have a long number behind it. */
function titleOfPath(path: string): string {
  const [name = path] = path.split("/").slice(-1);
  const words = name
    .replace(/\.\w+$/, "")
    .replace(/ [0-9a-f]{32}$/, "")
    .replaceAll(/[-_]+/g, " ")
    .trim();
  return words === "" ? path : words.charAt(0).toUpperCase() + words.slice(1);
}
