import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { people } from "./people.ts";

/** A document of the Indexing API, with the fields that the demonstration fills. */
export interface CorpusDocument {
  readonly datasource: string;
  readonly objectType: string;
  readonly id: string;
  readonly title: string;
  readonly viewURL: string;
  readonly summary?: string;
  readonly body: { readonly mimeType: "text/plain"; readonly textContent: string };
  readonly author?: { readonly email: string; readonly name?: string };
  /** In epoch seconds, as is `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly tags: readonly string[];
  readonly permissions: Permissions;
}

interface Permissions {
  readonly allowAnonymousAccess?: true;
  readonly allowedGroups?: readonly string[];
  readonly allowedUsers?: readonly { readonly email: string }[];
}

/** The parts of a package.json that are read. Any of them may be missing or have another type. */
interface PackageJson {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly description?: unknown;
  readonly keywords?: unknown;
  readonly homepage?: unknown;
  readonly repository?: unknown;
  readonly author?: unknown;
}

export const DATASOURCE = "packages";

/** The longest identifier that the Indexing API accepts. */
const ID_LENGTH_MAX = 200;

/** Enough for every README except a few that are really changelogs, and far below the limit of a request. */
const TEXT_LENGTH_MAX = 64 * 1024;

const FIRST_DAY_SECONDS = Date.UTC(2023, 0, 1) / 1000;
const LAST_DAY_SECONDS = Date.UTC(2026, 9, 31) / 1000;

/**
 * Reads the README of every package in a `node_modules` folder, nested ones too, each name and version once.
 *
 * This is real text about the subject of this service, and every checkout already has it. What the packages don't say (who may
 * read them; when they were written, because npm's archives are all dated 1985) is derived from a hash of the name, so every
 * machine gets the same documents and tests can rely on them.
 */
export async function readCorpus(nodeModules: string): Promise<CorpusDocument[]> {
  const documents = new Map<string, CorpusDocument>();
  for await (const folder of packageFolders(nodeModules)) {
    const document = await readDocument(folder);
    if (document !== undefined) documents.set(document.id, document);
  }
  return withOwnAddresses(Array.from(documents.values()).sort((one, other) => (one.id < other.id ? -1 : 1)));
}

/**
 * Gives each document its own URL, because documents are also looked up by URL, and packages of one repository share a page.
 */
function withOwnAddresses(documents: readonly CorpusDocument[]): CorpusDocument[] {
  const taken = new Set<string>();
  return documents.map((document) => {
    const viewURL = taken.has(document.viewURL)
      ? `${document.viewURL.split("#")[0]}#${encodeURIComponent(document.id)}`
      : document.viewURL;
    taken.add(viewURL);
    return { ...document, viewURL };
  });
}

async function* packageFolders(nodeModules: string): AsyncGenerator<string> {
  for (const name of await foldersIn(nodeModules)) {
    if (name.startsWith(".")) continue;
    const names = name.startsWith("@")
      ? (await foldersIn(join(nodeModules, name))).map((part) => join(name, part))
      : [name];
    for (const packageName of names) {
      yield join(nodeModules, packageName);
      yield* packageFolders(join(nodeModules, packageName, "node_modules"));
    }
  }
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

async function readDocument(folder: string): Promise<CorpusDocument | undefined> {
  const readme = (await readdir(folder)).find((file) => /^readme(\.md|\.markdown|\.txt)?$/i.test(file));
  const description = await readPackageJson(folder);
  const { name, version } = description;
  if (readme === undefined || typeof name !== "string" || typeof version !== "string") return undefined;
  const textContent = plainText(await readFile(join(folder, readme), "utf8"));
  const author = parseAuthor(description.author);
  return {
    datasource: DATASOURCE,
    objectType: "Readme",
    id: `${name}@${version}`.slice(0, ID_LENGTH_MAX),
    title: `${name} ${version}`,
    viewURL: webAddress(description) ?? `https://packages.acme.example/${name}`,
    ...(typeof description.description === "string" && { summary: description.description }),
    body: { mimeType: "text/plain", textContent: textContent.slice(0, TEXT_LENGTH_MAX) },
    ...(author && { author }),
    ...datesFor(name),
    tags: Array.isArray(description.keywords) ? description.keywords.filter((word) => typeof word === "string") : [],
    permissions: permissionsFor(name),
  };
}

/** Reads a package.json. A folder without a readable one is no package, and no reason to stop. */
async function readPackageJson(folder: string): Promise<PackageJson> {
  try {
    return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as PackageJson;
  } catch {
    return {};
  }
}

/** Removes what only a browser can show, so that an excerpt reads as prose. */
function plainText(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/\[?!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])(\](\([^)]*\)|\[[^\]]*\]))?/g, "")
    .replace(/<\/?[a-z][^>\n]*>/gi, "")
    .replace(/^\[[^\]]+\]: \S+.*$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Returns the package's home page or repository. Never a registry: where a reader gets packages from is their own affair. */
function webAddress({ homepage, repository }: PackageJson): string | undefined {
  const source = typeof repository === "string" ? repository : (repository as { url?: unknown } | undefined)?.url;
  return [homepage, source].map(httpsAddress).find((address) => address !== undefined);
}

function httpsAddress(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const address = value
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, "https://github.com/$1")
    .replace(/^git\+/, "")
    .replace(/^(?:git|ssh|http):\/\/(?:git@)?/, "https://")
    .replace(/\.git$/, "");
  if (!URL.canParse(address) || !address.startsWith("https://")) return undefined;
  return /(^|\.)npmjs\.(com|org)$/.test(new URL(address).hostname) ? undefined : address;
}

/** Reads `Name <address> (page)` or `{ name, email }`. Without a usable address there is no author. */
function parseAuthor(author: unknown): CorpusDocument["author"] {
  const written = typeof author === "string" ? /^(?<name>[^<(]*)(?:<(?<email>[^>]*)>)?/.exec(author)?.groups : author;
  const { name, email } = (written ?? {}) as { name?: unknown; email?: unknown };
  if (typeof email !== "string" || !/^[^\s@<>]+@[^\s@<>]+\.[a-z]{2,}$/i.test(email)) return undefined;
  return { email, ...(typeof name === "string" && name.trim() !== "" && { name: name.trim() }) };
}

/** Half of the documents are for everybody, a fifth for each of two groups, and the rest for one person each. */
function permissionsFor(name: string): Permissions {
  const percent = fraction(name, "reader") * 100;
  if (percent < 50) return { allowAnonymousAccess: true };
  if (percent < 70) return { allowedGroups: ["engineering"] };
  if (percent < 90) return { allowedGroups: ["finance"] };
  const person = people[Math.floor(fraction(name, "person") * people.length)];
  return { allowedUsers: person === undefined ? [] : [{ email: person.email }] };
}

function datesFor(name: string): { createdAt: number; updatedAt: number } {
  const createdAt = between(FIRST_DAY_SECONDS, LAST_DAY_SECONDS, fraction(name, "created"));
  return { createdAt, updatedAt: between(createdAt, LAST_DAY_SECONDS, fraction(name, "updated")) };
}

function between(from: number, to: number, share: number): number {
  return Math.floor(from + (to - from) * share);
}

/** Returns a number from 0 to 1 that depends only on the two words. */
function fraction(name: string, purpose: string): number {
  return createHash("sha256").update(`${purpose}:${name}`).digest().readUInt32BE() / 2 ** 32;
}
