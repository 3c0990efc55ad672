import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** The source, by path. */
const files = new Map(globSync("{src,scripts}/**/*.{ts,tsx}").map((path) => [path, readFileSync(path, "utf8")]));

function filesOf(...folders: string[]): [path: string, text: string][] {
  return [...files].filter(([path]) => folders.some((folder) => path.startsWith(`${folder}/`)));
}

/** A class of the source. */
interface Class {
  readonly name: string;
  /** The interfaces that it implements, if it is a store. */
  readonly ports: readonly string[];
  /** The types of its private fields, by name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The text of its methods, `#private` ones too, by name. */
  readonly methods: ReadonlyMap<string, string>;
}

/** Finds classes line by line, in the layout that the formatter makes. */
function classesIn(text: string): Class[] {
  const found: { name: string; ports: string[]; fields: Map<string, string>; methods: Map<string, string> }[] = [];
  let method: string | undefined;
  for (const line of text.split("\n")) {
    const [, name, ports = ""] =
      /^export (?:abstract )?class (\w+)(?: extends \w+(?:<.+>)?)?(?: implements ([^{]+))? \{/.exec(line) ?? [];
    if (name !== undefined) {
      found.push({ name, ports: ports.match(/\w+/g) ?? [], fields: new Map(), methods: new Map() });
      method = undefined;
    }
    const current = found.at(-1);
    const [, field, type] = /^ {2}readonly (#\w+): (?:Pick<)?(\w+)/.exec(line) ?? [];
    if (field !== undefined && type !== undefined) current?.fields.set(field, type);
    method = /^ {2}(?:protected )?(?:async )?\*?(#?\w+)(?:<.*>)?\(/.exec(line)?.[1] ?? method;
    if (method !== undefined) current?.methods.set(method, `${current.methods.get(method) ?? ""}${line}\n`);
    if (/^ {2}\}/.test(line)) method = undefined;
  }
  return found;
}

const classes = new Map([...files.values()].flatMap(classesIn).map((one) => [one.name, one]));

function matchesOf(text: string, pattern: RegExp): string[][] {
  return [...text.matchAll(pattern)].map((match) => match.map((group) => group ?? ""));
}

/** The classes of acts, by their property of `Administration`. */
const nouns = matchesOf(
  files.get("src/administration/administration.ts") ?? "",
  /^ {2}readonly (\w+): (\w+Acts);$/gm,
).map(([, noun = "", className = ""]) => ({ noun, className }));

/** Every act, as the console and the APIs call it. */
const acts = nouns.flatMap(({ noun, className }) =>
  [...(classes.get(className)?.methods.keys() ?? [])]
    .filter((name) => !name.startsWith("#") && name !== "constructor")
    .map((name) => `${noun}.${name}`),
);

/** Interfaces that offer acts, and the acts that each leaves out. Each must call all other acts. */
const FACES = {
  console: {
    folder: "src/admin-console",
    leavesOut: [
      // Only operators who restored the database need this.
      "documents.restorePlacement",
      "documents.rewind",
      // The page either adds an issuer or edits one. This act does whichever is needed, for commands and programs.
      "issuers.register",
      // The page is about a person who already has an account.
      "people.deactivateEmail",
      // A command waits until the documents are back, or erased.
      "content.eraseRemoved",
    ],
  },
  "Admin API": {
    folder: "src/admin-api",
    leavesOut: [],
  },
} as const;

function callsOfActs(folder: string): Set<string> {
  const calls = filesOf(folder).flatMap(([, text]) =>
    matchesOf(text, /\badministration(?:Of\([^()]*(?:\(\w*\))?[^()]*\))?\s*\.(\w+)\s*\.(\w+)\(/g),
  );
  return new Set(calls.map(([, noun, act]) => `${noun}.${act}`));
}

describe("acts of administrators", () => {
  it("are all properties of Administration, class by class", () => {
    const ofActs = [...classes.keys()].filter((name) => name.endsWith("Acts") && name !== "Acts");
    expect(nouns.map(({ className }) => className).sort()).toEqual(ofActs.sort());
    expect(acts.length).toBeGreaterThan(30);
  });

  it.each(Object.entries(FACES))(
    "are all called by the %s, except those that it leaves out on purpose",
    (_, { folder, leavesOut }) => {
      const called = callsOfActs(folder);
      expect(acts.filter((act) => !called.has(act)).sort()).toEqual([...leavesOut].sort());
      expect([...called].filter((act) => !acts.includes(act))).toEqual([]);
    },
  );

  it("are called directly by commands only if no Worker of the instance can do it; all others go through the Admin API", () => {
    expect([...callsOfActs("scripts/admin")]).toEqual(["people.nameRole"]);
  });

  it("are called by no other API, except the Indexing API for metadata groups", () => {
    expect([...callsOfActs("src/indexing-api")].sort()).toEqual(["metadata.remove", "metadata.replace"]);
    for (const folder of ["src/client-api", "src/mcp", "src/account"]) expect([...callsOfActs(folder)]).toEqual([]);
  });

  it("are called by their full name, so that these tests find every call", () => {
    const otherwise = filesOf(
      ...Object.values(FACES).map(({ folder }) => folder),
      "scripts/admin",
      "src/indexing-api",
    ).flatMap(([path, text]) =>
      matchesOf(text, /(?<!["#/])\badministration\b(?!\s*\.\w+\s*\.\w+\()[^\n]*/g)
        .map(([use = ""]) => use)
        // Taken from the services, or passed on as a whole.
        .filter((use) => !/^administration(?:[,:]| \})|^administration;$/.test(use))
        .map((use) => `${path}: ${use}`),
    );
    expect(otherwise).toEqual([]);
  });
});

/** Functions of shared SQL that write. */
const writersOfSql = filesOf("src")
  .filter(([path, text]) => path.endsWith(".sql.ts") && /\b(?:INSERT|UPDATE|DELETE|endGrants)\b/.test(text))
  .flatMap(([, text]) => matchesOf(text, /^export (?:async )?function (\w+)/gm))
  .map(([, name = ""]) => name);
const writingSql = new RegExp(`\\b(?:INSERT|UPDATE|DELETE)\\b|\\b(?:${writersOfSql.join("|")})\\(`);

const writesKnown = new Map<string, ReadonlySet<string>>();

/** Returns the methods of a class, or of an interface's stores, that write themselves or through their fields. */
function writesOf(type: string): ReadonlySet<string> {
  const known = writesKnown.get(type);
  if (known) return known;
  writesKnown.set(type, new Set());
  const found = classes.get(type);
  const stores = [...classes.values()].filter(({ ports }) => ports.includes(type));
  const writes = new Set(stores.flatMap(({ name }) => [...writesOf(name)]));
  // Two rounds, because a method that calls a later method of its class is only recognised in the second.
  for (const [method, text] of [...(found?.methods ?? []), ...(found?.methods ?? [])]) {
    const calls = matchesOf(text, /\bthis(?:\s*\.(#\w+))?\s*\.(#?\w+)\(/g);
    const isWriting =
      (type.startsWith("D1") && writingSql.test(text)) ||
      calls.some(([, field = "", name = ""]) =>
        field === "" ? writes.has(name) : writesOf(found?.fields.get(field) ?? "").has(name),
      );
    if (isWriting) writes.add(method);
  }
  writesKnown.set(type, writes);
  return writes;
}

/** The classes of the services that the interfaces call, by the name of the service. */
const services = new Map(
  [...filesOf("src/composition"), ["src/services.ts", files.get("src/services.ts") ?? ""]]
    .flatMap(([, text = ""]) => matchesOf(text, /\b(\w+)(?:: | = )new (\w+)\(/g))
    .map(([, name = "", className = ""]): [string, string] => [name, className])
    .filter(([, className]) => !className.endsWith("Acts")),
);
services.set("issuedTokens", "D1ServiceTokens");

/** Returns the calls of these folders that write without going through an act. */
function writingCallsOf(...folders: string[]): string[] {
  const calls = filesOf(...folders).flatMap(([, text]) =>
    matchesOf(text, /(?<!administration\s*\.)\b(\w+)\s*\.(\w+)\(/g),
  );
  const writing = calls.filter(([, service = "", method = ""]) => writesOf(services.get(service) ?? "").has(method));
  return [...new Set(writing.map(([, service, method]) => `${service}.${method}`))].sort();
}

describe("operations of the Admin API", () => {
  it("call exactly the act whose scope they require", () => {
    const operations = filesOf("src/admin-api")
      .filter(([path]) => path.endsWith("-operations.ts"))
      .flatMap(([, text]) => text.split(/\n(?= {2}"(?:GET|POST|PUT|PATCH|DELETE) \/)/).slice(1));
    expect(operations.length).toBeGreaterThan(45);
    for (const operation of operations) {
      const [route = ""] = operation.split(":");
      const named = matchesOf(operation, /(?:\bact: |\bdeciding\()"([\w.]+)"/g).map(([, act]) => act);
      const called = matchesOf(operation, /\badministration\s*\.(\w+)\s*\.(\w+)\(/g).map(
        ([, noun, act]) => `${noun}.${act}`,
      );
      expect({ route, called }).toEqual({ route, called: named });
    }
  });
});

describe("writes outside acts", () => {
  it("can be found, because these tests know the services and their writing methods", () => {
    expect(services.size).toBeGreaterThan(40);
    expect([...writesOf("GrantEndings")]).toEqual(["end"]);
    expect([...writesOf("D1ServiceTokens")]).toEqual(expect.arrayContaining(["add", "replaceSecret", "revoke"]));
    expect(writesOf("D1ServiceTokens").has("find")).toBe(false);
  });

  it("in the console, commands and Admin API only mark forms as sent, continue moves, deliver the audit and create instances", () => {
    const writing = writingCallsOf("src/admin-console", "scripts/admin", "src/admin-api");
    // A delivery decides nothing: it seals what acts recorded, and stores how far the receiver has got.
    expect(writing).toEqual([
      "audit.seal",
      "auditDelivery.deliverNow",
      "documentMoves.goOn",
      "instances.create",
      "spentIds.release",
      "spentIds.spend",
    ]);
  });

  it("elsewhere are only what people decide about themselves, and pipelines about their own tokens", () => {
    // People end grants that they allowed and their other sessions. A pipeline replaces its own token's secret.
    expect(writingCallsOf("src/account")).toEqual(["grantEndings.end", "sessions.endOthers"]);
    // The audit says what an upload would remove.
    expect(writingCallsOf("src/indexing-api")).toEqual(["removalNotes.note", "tokenRotation.rotate"]);
    expect(writingCallsOf("src/client-api", "src/mcp")).toEqual([]);
  });

  it("expire no policy snapshot", () => {
    const faces = [
      "src/admin-console",
      "src/account",
      "src/indexing-api",
      "src/client-api",
      "src/mcp",
      "src/admin-api",
    ];
    const expiring = filesOf(...faces, "scripts").filter(([, text]) => /\.expire\(/.test(text));
    expect(expiring.map(([path]) => path)).toEqual([]);
  });
});
