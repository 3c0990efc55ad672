import { globSync, readFileSync } from "node:fs";
import { parseSync } from "vite";
import { AUDIT_LIST } from "#audit/audit-list.ts";
import { CONSOLE_FORMS } from "#admin-console/console-paths-endpoint.ts";
import { inputsOf, signInInputsOf } from "#admin-console/issuers/preset-form.ts";
import { ADMIN_SCOPE_OPTIONS, SCOPE_OPTIONS, SERVICE_ACCOUNT_SCOPE_OPTIONS } from "#admin-console/scope-options.ts";
import { TYPE_OPTIONS } from "#admin-console/metadata/group-form.ts";
import { REQUIREMENT_OPTIONS } from "#admin-console/requirement-options.ts";
import { APP_MEMBERS } from "#clients/app-members.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { HOSTS } from "#clients/hosts.ts";
import { GRANT_LIST } from "#grants/grant-list.ts";
import { ISSUER_MEMBERS } from "#issuers/issuer-members.ts";
import { PRESETS, PROVIDERS } from "#issuers/presets.ts";
import { SECTION_GROUPS } from "#pages/views/console-sections.ts";
import { wordsOf } from "#pages/views/reason-words.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import { ROLE_LABELS, ROLE_LIMITS } from "#people/role.ts";
import { ACCOUNT_MEMBERS, WORKLOAD_MEMBERS } from "#service-accounts/service-account-members.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { TRANSMITTER_MEMBERS } from "#signals/transmitter-members.ts";
import type { Member } from "#platform/described-members.ts";
import type { ListSpec } from "#platform/listing.ts";
import { describe, expect, it } from "vitest";
import german from "../../public/messages/console.de.json" with { type: "json" };

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const SOURCES = globSync("src/**/*.{ts,tsx}");

/** The files with texts of the console. */
const OF_CONSOLE = SOURCES.filter((path) => /^src\/(admin-console|pages\/views)\//.test(path));

/** Attributes that people read. */
const SEEN = /^(title|label|lead|hint|button|caption|empty|alt|never|headings|facts|some|every|what|aria-label)$/;

/** Members of objects with texts for people, which the page looks up when it is rendered. */
const WRITTEN = /^(title|lead|words|button|leave|label|hint)$/;

/** What stands in a text field as an example, which is code. */
const EXAMPLE = /[:=,/]|^[\w.-]+$/;

/** The title of a document that an example command sends. */
const EXAMPLE_DOCUMENT = "An example";

/** A text: at least a word, and no code. */
const TEXT = /^(?![A-Z_]+\d*$|EdDSA$)(?=.*\p{L}{2})/su;

/** The functions of findings, whose arguments are texts. */
const FINDING = /^(ok|failed|warning|attempt)$/;

const FINDINGS = /^src\/(doctor\/|issuers\/issuer-check|single-sign-on\/(metadata-steps|connection-check))/;

/** The files whose refusals are explained in the console: of apps, sign-ins and tokens. */
const REFUSING =
  /^src\/(protocol\/errors|authorization-server\/|clients\/|dpop\/|grants\/|resource-server\/|session\/|single-sign-on\/)/;

function childrenOf(node: Node): [name: string, child: Node][] {
  return Object.entries(node).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (isNode(each) ? [[name, each] as [string, Node]] : [])),
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";
}

function nameOf(node: unknown): string {
  const { name, property, value } = node as Readonly<Record<string, unknown>>;
  return isNode(name) ? nameOf(name) : isNode(property) ? nameOf(property) : String(name ?? value);
}

/** Returns the keys of the texts that an expression can be. */
function keysIn(node: Node): string[] {
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" && TEXT.test(node["value"]) ? [node["value"]] : [];
    case "TemplateLiteral":
      return TEXT.test(quasisOf(node).join("")) ? [keyOf(node)] : [];
    case "ConditionalExpression":
      return [node["consequent"], node["alternate"]].flatMap((branch) => keysIn(branch as Node));
    case "ArrowFunctionExpression":
      return keysIn(node["body"] as Node);
    case "ArrayExpression":
      return (node["elements"] as readonly Node[]).flatMap(keysIn);
    default:
      return [];
  }
}

function quasisOf(template: Node): string[] {
  return (template["quasis"] as { readonly value: { readonly cooked: string } }[]).map(({ value }) => value.cooked);
}

/** Returns the key of a template, as the tag makes it. */
function keyOf(template: Node): string {
  const values = template["expressions"] as readonly Node[];
  return quasisOf(template).reduce((key, next, at) => key + placeOf(at - 1, values[at - 1]) + next);
}

function placeOf(at: number, value: Node | undefined): string {
  if (value?.type !== "CallExpression" || nameOf(value["callee"]) !== "counted") return `{${at}}`;
  const [, one, many] = (value["arguments"] as readonly Node[]).map((each) => keysIn(each)[0]);
  return one === undefined ? "" : `{${at}|${one}|${many ?? `${one}s`}}`;
}

/** The texts with the tag; those in elements without it; and those that are looked up. */
const tagged = new Set<string>();
const bare: string[] = [];
const lookedUp = new Set<string>();

function readConsole(node: Node, path: string): void {
  switch (node.type) {
    case "TaggedTemplateExpression": {
      const template = node["quasi"] as Node;
      if (nameOf(node["tag"]) === "t") tagged.add(keyOf(template));
      const conditions = (template["expressions"] as readonly Node[]).filter(({ type }) => type !== "Literal");
      bare.push(...conditions.filter(({ type }) => type === "ConditionalExpression").flatMap(keysIn));
      break;
    }
    case "JSXText":
      if (TEXT.test(String(node["value"]))) bare.push(`${path}: ${String(node["value"]).trim()}`);
      break;
    case "JSXAttribute": {
      const name = nameOf(node["name"]);
      const { value } = node as { readonly value?: unknown };
      if (!isNode(value)) break;
      const texts = keysIn(value.type === "JSXExpressionContainer" ? (value["expression"] as Node) : value);
      const shown = SEEN.test(name) ? texts : name === "placeholder" ? texts.filter((text) => !EXAMPLE.test(text)) : [];
      // Outside views, elements get their attributes before the page is rendered.
      if (!path.includes("/views/")) for (const text of shown) lookedUp.add(text);
      else if (name !== "placeholder" || value.type === "Literal")
        bare.push(...shown.map((text) => `${path}: ${text}`));
      break;
    }
    case "JSXElement":
      readConsole(node["openingElement"] as Node, path);
      if (/^(code|pre|bdi)$/.test(nameOf((node["openingElement"] as Node)["name"]))) return;
      for (const { type, expression } of node["children"] as { type: string; expression: Node }[]) {
        if (type === "JSXExpressionContainer") bare.push(...keysIn(expression).map((text) => `${path}: ${text}`));
      }
      break;
    case "Property":
      if (WRITTEN.test(nameOf(node["key"]))) {
        for (const text of keysIn(node["value"] as Node)) if (text !== EXAMPLE_DOCUMENT) lookedUp.add(text);
      }
      break;
    default:
      break;
  }
  for (const [, child] of childrenOf(node)) readConsole(child, path);
}

/** Reads the messages of acts' refusals, the descriptions of others, and in the files of the doctor and of checks, those of findings. */
function readElsewhere(node: Node, path: string): void {
  const callee = node["callee"];
  if (node.type === "NewExpression" && nameOf(callee) === "AdministrationRefused") {
    for (const text of keysIn((node["arguments"] as readonly Node[])[0] as Node)) lookedUp.add(text);
  }
  if (node.type === "CallExpression" && FINDINGS.test(path) && FINDING.test(nameOf(callee))) {
    for (const text of (node["arguments"] as readonly Node[]).flatMap(keysIn)) lookedUp.add(text);
  }
  if (node.type === "Property" && REFUSING.test(path) && nameOf(node["key"]) === "description") {
    for (const text of keysIn(node["value"] as Node)) if (text.includes(" ")) lookedUp.add(text);
  }
  for (const [, child] of childrenOf(node)) readElsewhere(child, path);
}

const contents = SOURCES.map((path) => readFileSync(path, "utf8"));
for (const [at, path] of SOURCES.entries()) {
  const program = parseSync(path, contents[at] ?? "").program as unknown as Node;
  if (OF_CONSOLE.includes(path)) readConsole(program, path);
  readElsewhere(program, path);
}

interface Labelled {
  readonly label: string;
  readonly hint?: string;
  readonly options?: readonly Labelled[];
}

function textsOf({ label, hint, options = [] }: Labelled): string[] {
  return [label, hint ?? "", ...options.flatMap(textsOf)].filter((text) => text !== "");
}

function titleOf(reason: string): string {
  return wordsOf(reason as Lowercase<string>);
}

const MEMBERS = [SETTING_MEMBERS, ISSUER_MEMBERS, APP_MEMBERS, TRANSMITTER_MEMBERS, ACCOUNT_MEMBERS, WORKLOAD_MEMBERS];

const LISTS: readonly ListSpec[] = [AUDIT_LIST, CLIENT_LIST, GRANT_LIST, PEOPLE_LIST, TOKEN_LIST];

const records: readonly string[] = [
  ...MEMBERS.flatMap((members) => Object.values<Member>(members).flatMap(({ field }) => (field ? textsOf(field) : []))),
  ...[...SCOPE_OPTIONS, ...SERVICE_ACCOUNT_SCOPE_OPTIONS, ...ADMIN_SCOPE_OPTIONS, ...REQUIREMENT_OPTIONS].flatMap(
    textsOf,
  ),
  ...LISTS.flatMap(({ words }) => [
    words?.search ?? "",
    `{0|${words?.one}|${words?.many ?? `${words?.one}s`}}`,
    ...Object.values(words?.sorts ?? {}),
    ...Object.values(words?.filters ?? {}).flatMap(([label, labels]) => [label, ...Object.values(labels)]),
  ]),
  ...Object.values(CONSOLE_FORMS).flatMap(({ button, says }) => [button, ...Object.values(says ?? {})]),
  ...SECTION_GROUPS.flatMap(({ title, sections }) => [title, ...sections.map(({ label }) => label)]),
  ...Object.values({ ...ROLE_LABELS, ...ROLE_LIMITS }),
  ...PRESETS.flatMap((preset) => Object.values(inputsOf(preset)).flatMap(textsOf)),
  ...PROVIDERS.map(({ toSignIn }) => `${toSignIn.charAt(0).toUpperCase()}${toSignIn.slice(1)}.`),
  ...PROVIDERS.flatMap((provider) => Object.values(signInInputsOf(provider)).flatMap(textsOf)),
  ...HOSTS.flatMap(({ quirk }) => quirk ?? []),
  ...contents.flatMap((code) => [...code.matchAll(/reason: "(\w+_\w+)"/g)].map(([, reason = ""]) => titleOf(reason))),
].filter((text) => TEXT.test(text));

const texts: Readonly<Record<string, string>> = german.texts;
const sentences: Readonly<Record<string, string>> = german.sentences;
const known = new Set([...Object.keys(texts), ...Object.keys(sentences)]);

function placesIn(text: string): string {
  return [...new Set([...text.matchAll(/\{(\d+)/g)].map(([, place]) => Number(place)))]
    .sort((one, other) => one - other)
    .join();
}

/** Returns the pairs of words of a key between its values, and its nouns. Some texts are put together from shorter ones. */
function phrasesOf(key: string): string[] {
  const nouns = [...key.matchAll(/\{\d+\|([^|]+)/g)].map(([, one]) => `"${one}"`);
  const pairs = key.split(/\{[^}]*\}/).flatMap((part) => {
    const words = part.match(/[^\s.,:;]+/g) ?? [];
    return words.length < 2 ? words : words.slice(1).map((word, at) => `${words[at]} ${word}`);
  });
  return [...nouns, ...pairs].map((phrase) => phrase.toLowerCase());
}

const REASONS = contents.flatMap((code) =>
  [...code.matchAll(/"([a-z\d]+(?:_[a-z\d]+)+)"/g)].map(([, word = ""]) => word),
);

describe("the texts of the console", () => {
  it("have the tag", () => {
    expect(tagged.size).toBeGreaterThan(700);
    expect(bare).toEqual([]);
  });

  it("have a German text each", () => {
    expect([...tagged].filter((key) => key !== "" && !Object.hasOwn(texts, key))).toEqual([]);
  });

  it("have a German text each, if they are looked up", () => {
    expect(lookedUp.size).toBeGreaterThan(200);
    expect([...new Set([...lookedUp, ...records])].filter((text) => !known.has(text))).toEqual([]);
  });

  it("have the same values in German", () => {
    const all = [...Object.entries(texts), ...Object.entries(sentences)];
    expect(all.filter(([key, text]) => placesIn(key) !== placesIn(text))).toEqual([]);
  });

  it("are all used", () => {
    const code = contents.join("\n").toLowerCase();
    const used = new Set([
      ...tagged,
      ...lookedUp,
      ...records,
      ...REASONS.map(titleOf),
      ...TYPE_OPTIONS.flatMap(textsOf),
    ]);
    const isUsed = (key: string) => used.has(key) || phrasesOf(key).some((phrase) => code.includes(phrase));
    expect([...known].filter((key) => !isUsed(key))).toEqual([]);
  });
});
