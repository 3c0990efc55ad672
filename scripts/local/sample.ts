import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join, matchesGlob } from "node:path";

/** A document of the Indexing API, with the members that the sample fills. */
export interface SampleDocument {
  readonly datasource: string;
  readonly objectType: string;
  readonly id: string;
  readonly title: string;
  readonly viewURL: string;
  readonly body: { readonly mimeType: string; readonly textContent: string };
  readonly author?: { readonly email: string; readonly name: string };
  /** In epoch seconds, as is `updatedAt`. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly tags: readonly string[];
  readonly permissions: Permissions;
}

interface Permissions {
  readonly allowAnonymousAccess?: boolean;
  readonly allowedGroups?: readonly string[];
  readonly allowedUsers?: readonly { readonly email: string }[];
}

/** The folders of `sample/acme`. Each is a datasource, with a file that says who may see what. */
export const DATASOURCES = ["handbook", "engineering", "sales"] as const;

const SAMPLE = "sample/acme";

/** Says who may see which of the files beside it and below it. */
const RULES_FILE = "GATEHOUSE_ACCESS";

const MIME_TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/plain",
  ".html": "text/html",
  ".md": "text/markdown",
  ".rst": "text/plain",
};

/** Reads the text documents of the sample organisation. */
export async function readSample(): Promise<SampleDocument[]> {
  const documents = await Promise.all(DATASOURCES.map(readDatasource));
  return documents.flat();
}

async function readDatasource(datasource: string): Promise<SampleDocument[]> {
  const folder = join(SAMPLE, datasource);
  const rules = parseRules(await readFile(join(folder, RULES_FILE), "utf8"));
  const paths = globSync("**/*", { cwd: folder }).filter((path) => extname(path) in MIME_TYPES);
  return Promise.all(
    paths.toSorted().map(async (path) => {
      const permissions = permissionsOf(rules, path);
      const viewURL = `https://docs.acme.example/${datasource}/${path}`;
      return { datasource, viewURL, ...readDocument(path, await readFile(join(folder, path), "utf8")), permissions };
    }),
  );
}

/** Reads a document, and what the lines between `---` at its beginning say about it. */
function readDocument(path: string, text: string): Omit<SampleDocument, "datasource" | "permissions" | "viewURL"> {
  const { front = "", body = text } = /^---\n(?<front>.*?\n)---\n(?<body>.*)$/s.exec(text)?.groups ?? {};
  const said = new Map(front.split("\n").map((line) => [line.split(": ", 1)[0], line.replace(/^\w+: /, "")]));
  const { name, email } = /^(?<name>.+) <(?<email>.+)>$/.exec(said.get("author") ?? "")?.groups ?? {};
  const createdAt = secondsOf(said.get("date"));
  const updatedAt = secondsOf(said.get("updated")) ?? createdAt;
  return {
    objectType: extname(path) === ".csv" ? "Table" : "Page",
    id: path,
    title: said.get("title")?.replace(/^"|"$/g, "") ?? headingOf(path, text),
    body: { mimeType: MIME_TYPES[extname(path)] ?? "", textContent: body.trim() },
    ...(name && email && { author: { name, email } }),
    ...(createdAt && { createdAt }),
    ...(updatedAt && { updatedAt }),
    tags: said.get("tags")?.slice(1, -1).split(", ") ?? [],
  };
}

/** Returns the title of a page, the first line of a text, or the name of a table's file, in words. */
function headingOf(path: string, text: string): string {
  if (extname(path) === ".csv") return basename(path, ".csv").replaceAll("-", " ");
  return /<title>(.+)<\/title>/.exec(text)?.[1] ?? text.split("\n", 1)[0] ?? path;
}

function secondsOf(day: string | undefined): number | undefined {
  return day === undefined ? undefined : Date.parse(day) / 1000;
}

interface Rule {
  readonly pattern: string;
  readonly permissions: Permissions;
}

/** Reads lines such as `/finance/ group:finance user:ada@acme.example`. */
function parseRules(text: string): Rule[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [pattern = "", ...who] = line.split(/\s+/);
    const named = (kind: string) => who.filter((one) => one.startsWith(kind)).map((one) => one.slice(kind.length));
    const allowedUsers = named("user:").map((email) => ({ email }));
    const permissions = {
      allowAnonymousAccess: who.includes("everyone"),
      allowedGroups: named("group:"),
      allowedUsers,
    };
    return { pattern, permissions };
  });
}

/** As in a CODEOWNERS file, the last rule that matches counts. @throws if none does */
function permissionsOf(rules: readonly Rule[], path: string): Permissions {
  const rule = rules.findLast(({ pattern }) => matches(path, pattern));
  if (rule === undefined) throw new Error(`No rule says who may see ${path}.`);
  return rule.permissions;
}

function matches(path: string, pattern: string): boolean {
  if (!pattern.startsWith("/")) return matchesGlob(basename(path), pattern);
  return pattern.endsWith("/") ? `/${path}`.startsWith(pattern) : matchesGlob(`/${path}`, pattern);
}
