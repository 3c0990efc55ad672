import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Principal, Seer } from "#documents/engine.ts";
import type { MetadataGroup } from "#documents/metadata/metadata.ts";
import type { Membership } from "#documents/rights/rights.ts";
import type { ExportedDocument, ExportLine } from "#documents/upkeep/keeping.ts";
import type { PagePart } from "#documents/uploads/uploads.ts";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { objectCalls } from "./object.ts";
import { PostgresWorld } from "./world.ts";
import { runs } from "../support/properties.ts";

type Calls = ReturnType<typeof objectCalls>;
/** A call to both engines: its name and its arguments. */
type Request = {
  [Name in keyof Calls]: readonly [name: Name, ...given: Parameters<Calls[Name]>];
}[Exclude<keyof Calls, "close">];

const pick = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item;

const GROUPS = ["board", "sales", "staff"];
const EMAILS = ["ada@acme.example", "ben@acme.example"];
const SEERS: readonly Seer[] = [
  { email: "ada@acme.example", directoryGroups: ["board", "sales"] },
  { email: "ben@acme.example", directoryGroups: [] },
  { email: "u1", directoryGroups: ["staff"] },
];
const WORDS = ["tide", "almanac", "tides", "harbour"];

function principalsOf(number: number): Principal[] {
  const group = { kind: "group", datasource: DATASOURCE, name: pick(GROUPS, number) } as const;
  const both = {
    kind: "intersection",
    datasource: DATASOURCE,
    name: JSON.stringify([GROUPS[0], pick(GROUPS, number)].toSorted((a, b) => (a! < b! ? -1 : 1))),
  } as const;
  const person = { kind: "person", datasource: "", name: pick(EMAILS, number) } as const;
  const known = { kind: "datasource", datasource: DATASOURCE, name: "" } as const;
  return pick(
    [[group, person], [group], [both], [person, known], [{ kind: "everyone", datasource: "", name: "" }], []],
    number,
  );
}

const documentOf = (number: number) =>
  aDocument(String(number % 7), {
    title: `${pick(WORDS, number)} number ${number % 11}`,
    body: `${pick(WORDS, number >> 1)} ${pick(WORDS, number >> 2)} ${number % 3 === 0 ? "pears and plums ".repeat(90) : "apples"}`,
    objectType: number % 2 === 0 ? "Page" : "Ticket",
    authorName: number % 5 === 0 ? null : "Ada Marlow",
    updatedAt: number % 4 === 0 ? null : number * 86_400,
    tags: number % 2 === 0 ? ["spring"] : [],
    keywords: number % 2 === 0 ? "\nspring" : "",
    url: `https://world.example/${number % 5}`,
    principals: principalsOf(number),
  });

const nameOf = (number: number) => ({ datasource: DATASOURCE, externalId: String(number % 7) });

const membershipOf = (number: number): Membership => ({
  groupName: pick(GROUPS, number),
  memberKind: number % 3 === 0 ? "group" : "user",
  member: number % 3 === 0 ? pick(GROUPS, number + 1) : pick(["u1", "u2", ...EMAILS], number),
});

function groupOf(number: number): MetadataGroup {
  const id = 1 + Math.floor(number / 50);
  const key = (at: number, display: string, propertyType: "TEXT" | "MULTIPICKLIST") => ({
    id: id * 10 + at,
    name: display.toLowerCase(),
    display,
    facetName: `review${display.toLowerCase()}`,
    propertyType,
    skipIndexing: number % 3 === 0,
  });
  const keys = [key(1, "Note", "TEXT"), ...(number % 2 === 0 ? [key(2, "Labels", "MULTIPICKLIST")] : [])];
  return { id, name: "review", display: "Review", version: 1 + (number % 50), keys };
}

function pageOf(number: number, more: Partial<PagePart>): PagePart {
  const kind = pick(["documents", "users", "groups", "memberships"] as const, number >> 1);
  const items = [number, number + 3].map((at): PagePart["items"][number] => {
    switch (kind) {
      case "documents":
        return { kind, document: documentOf(at) };
      case "users":
        return { kind, user: userOf(at) };
      case "groups":
        return { kind, name: pick(GROUPS, at) };
      case "memberships":
      default:
        return { kind, membership: { ...membershipOf(at), groupName: "board" } };
    }
  });
  return uploadPage({
    kind,
    groupName: kind === "memberships" ? "board" : "",
    uploadId: `upload ${number % 2}`,
    hash: `page ${number % 4}`,
    forceRestart: number % 5 === 0,
    items,
    ...more,
  });
}

const userOf = (number: number) => ({
  userId: `u${number % 3}`,
  email: pick(EMAILS, number),
  name: "Somebody",
  isActive: number % 4 > 0,
});

const REQUESTS: readonly ((number: number) => Request)[] = [
  (number) => [
    "apply",
    [number, number + 1, number + 2].map((at) => ({ act: "put", document: documentOf(at) }) as const),
  ],
  (number) => [
    "apply",
    [
      { act: "put", document: documentOf(number) },
      { act: "remove", ...nameOf(number + 1) },
    ],
  ],
  (number) => ["apply", [{ act: "permit", ...nameOf(number), principals: principalsOf(number + 1) }]],
  (number) => ["changeRights", DATASOURCE, { act: "describe group", name: pick(GROUPS, number) }],
  (number) => ["changeRights", DATASOURCE, { act: "describe user", user: userOf(number) }],
  (number) => ["changeRights", DATASOURCE, { act: "add member", membership: membershipOf(number) }],
  (number) => ["changeRights", DATASOURCE, { act: "add member", membership: membershipOf(number) }],
  (number) => ["changeRights", DATASOURCE, { act: "remove member", membership: membershipOf(number) }],
  (number) => ["changeRights", DATASOURCE, { act: "remove user", userId: `u${number % 3}` }],
  (number) => ["changeRights", DATASOURCE, { act: "remove users", email: pick(EMAILS, number) }],
  (number) => ["changeRights", DATASOURCE, { act: "remove group", name: pick(GROUPS, number) }],
  (number) => ["adoptGroup", groupOf(number)],
  (number) => ["forgetGroup", number % 3 === 0 ? "review" : "other", groupOf(number).id - 1],
  (number) => [
    "putValues",
    { whole: String(number % 7), ...nameOf(number) },
    groupOf(98),
    [
      {
        name: number % 9 === 0 ? "none" : "note",
        display: "Note",
        isList: number % 8 === 0,
        values: [pick(WORDS, number)],
      },
      { name: "labels", display: "Labels", isList: true, values: number % 2 === 0 ? [] : ["Red", "blue"] },
    ],
  ],
  (number) => ["takePage", pageOf(number, { isFirst: true })],
  (number) => ["takePage", pageOf(number, {})],
  (number) => ["takePage", pageOf(number, { isLast: true })],
  (number) => ["removeNext", pageOf(number, {})],
  (number) => ["noteUploadError", pageOf(number, {}), `refused ${number}`],
];

/** In a history, this number stands for a clean-up by both engines. */
const CLEAN_UP = REQUESTS.length;

/** Makes the same calls to both engines, and compares the results. */
class Pair {
  readonly #object = objectCalls(() => this.#world.now);
  readonly #world: PostgresWorld;

  constructor(world: PostgresWorld) {
    this.#world = world;
  }

  async ask([name, ...given]: Request, inOrder: (answer: never) => unknown = (answer) => answer): Promise<void> {
    const [object, postgres] = await Promise.all([
      call(this.#object, name, given),
      call(this.#world.engine, name, [this.#world.instanceId, ...given]),
    ]);
    const seen = (answer: unknown) => JSON.parse(JSON.stringify(inOrder((answer ?? null) as never))) as unknown;
    expect([name, given, seen(postgres)]).toEqual([name, given, seen(object)]);
  }

  /** Completes the clean-up of both. What a single step does is up to the engine. */
  async cleanUp(): Promise<void> {
    for (const engine of [this.#object, { upkeep: () => this.#world.engine.upkeep(this.#world.instanceId) }]) {
      // What the first lap releases may be named by rows that it has already passed.
      for (let lap = 0; lap < 3; lap++) for (let left = 100; left > 0 && (await engine.upkeep()); left--);
    }
  }

  /** Compares everything that calls return, after both have cleaned up. */
  async compareAll(): Promise<void> {
    this.#world.now += 10;
    await this.cleanUp();
    await this.ask(["uploads", DATASOURCE], (uploads: readonly { kind: string; removed: number }[]) =>
      // Which step removes what is up to the engine.
      uploads.map(({ removed: _removed, ...upload }) => upload).sort((one, other) => (one.kind < other.kind ? -1 : 1)),
    );
    await this.ask(["stats"], ({ datasources, receiving, removing, lastRefusal }: ReturnType<Calls["stats"]>) => ({
      datasources: datasources.filter(
        ({ documents, users, groups, memberships }) => documents + users + groups + memberships > 0,
      ),
      receiving,
      removing,
      lastRefusal,
    }));
    await this.ask(["listDocuments", DATASOURCE, {}]);
    await this.ask(["listDocuments", DATASOURCE, { after: "2" }]);
    await this.ask(["listDocuments", DATASOURCE, { before: "4" }]);
    await this.ask(["count", DATASOURCE]);
    await this.ask(["countByGroup", [1, 2], 100]);
    for (const id of [1, 2]) await this.ask(["countByKey", id, 100]);
    for (let id = 0; id < 7; id++) {
      await this.ask(["indexedAt", DATASOURCE, String(id)]);
      await this.ask(
        ["inspectDocument", DATASOURCE, String(id)],
        (answer: ExportedDocument | null) => answer && sortedDocument(answer),
      );
    }
    const exported = new Set<string>();
    for (const engine of ["object", "postgres"] as const) {
      const lines = (await this.#linesOf(engine)).map((line) =>
        canonical("document" in line ? sortedDocument(line.document) : line),
      );
      if (engine === "object") for (const line of lines) exported.add(line);
      else expect(new Set(lines)).toEqual(exported);
    }
    for (const seer of SEERS) await this.#compareSeen(seer);
  }

  async #compareSeen(seer: Seer): Promise<void> {
    const names = Array.from({ length: 7 }, (_, id) => nameOf(id));
    for (const { datasource, externalId } of names) {
      await this.ask(["maySee", datasource, externalId, seer]);
      await this.ask(["explainAccess", { datasource, externalId }, seer], (answer: { rules: object[] } | null) => ({
        ...answer,
        rules: answer?.rules
          .map((rule) => JSON.stringify(rule, (key, value: unknown) => (key === "source" ? value !== null : value)))
          .sort(),
      }));
    }
    const wanted = { customData: true, content: true, contentBytesMax: 1_000_000 };
    await this.ask([
      "read",
      [...names, { url: "https://world.example/1" }, { url: "https://world.example/3" }],
      seer,
      wanted,
    ]);
    await this.ask(["standingOf", seer], ({ groups, ...standing }: ReturnType<Calls["standingOf"]>) => ({
      ...standing,
      groups: groups.map(({ name }) => name).sort(),
    }));
    for (const words of [["tide"], ["tide", "almanac"], ["pears", "harb"], ["spring", "tides", "number"]]) {
      const texts = words.map((word, at) => ({
        isUnwanted: false,
        filter: null,
        text: { words: [word], isQuoted: false, isUnfinished: at === words.length - 1 },
      }));
      const search = {
        clauses: texts,
        updated: null,
        pageSize: 5,
        excerptCharacters: 100,
        facetBuckets: 5,
        position: null,
        preferences: { languages: ["en"], recentAt: 86_400 * 20 },
      } as const;
      // Positions of rows are up to the engine.
      await this.ask(["find", search, seer], ({ next, ...page }: ReturnType<Calls["find"]>) => ({
        ...page,
        next: next?.length,
      }));
    }
  }

  async #linesOf(engine: "object" | "postgres"): Promise<ExportLine[]> {
    const lines: ExportLine[] = [];
    for (let after: string | null = null; ; ) {
      const page: { lines: readonly ExportLine[]; next: string | null } =
        engine === "object"
          ? this.#object.exportPage(after)
          : await this.#world.engine.exportPage(this.#world.instanceId, after);
      lines.push(...page.lines);
      if (page.next === null) return lines;
      after = page.next;
    }
  }

  /** Restores what PostgreSQL exports in a new pair of engines. */
  async exchange(into: PostgresWorld): Promise<Pair> {
    const lines = await this.#linesOf("postgres");
    const ordered = [...lines.filter((line) => !("document" in line)), ...lines.filter((line) => "document" in line)];
    const restored = new Pair(into);
    into.now = this.#world.now;
    for (const from of [0, Math.floor(ordered.length / 2)]) {
      const part = ordered.slice(from, from === 0 ? Math.floor(ordered.length / 2) : undefined);
      await restored.ask(["importPage", { backup: "b", from, lines: part, isLast: from > 0 }]);
    }
    return restored;
  }

  close(): void {
    this.#object.close();
  }
}

async function call(engine: object, name: string, given: readonly unknown[]): Promise<unknown> {
  return (engine as Record<string, (...all: readonly unknown[]) => unknown>)[name]?.(...given);
}

/** Sorts a document's permissions, which are a set. */
function sortedDocument<Document extends { readonly principals: readonly Principal[] }>(document: Document) {
  return { ...document, principals: document.principals.map((principal) => JSON.stringify(principal)).sort() };
}

/** Returns JSON with the members of each object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

const histories = fc.array(fc.tuple(fc.nat(CLEAN_UP), fc.nat(120)), { minLength: 30, maxLength: 40 });

it("both engines return the same for any history of calls, and from a backup that one made and both restored", async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const world = await PostgresWorld.begin();
      const pair = new Pair(world);
      for (const [at, number] of history) {
        world.now += 10;
        const request = REQUESTS[at];
        if (!request) {
          await pair.cleanUp();
          continue;
        }
        const [name, ...given] = request(number);
        // How much one step removes is up to the engine, too.
        await pair.ask([name, ...given] as Request, (answer: unknown) => (name === "removeNext" ? null : answer));
        // What was remembered about people's rights must no longer apply.
        for (const seer of SEERS) await pair.ask(["maySee", DATASOURCE, String(number % 7), seer]);
      }
      await pair.compareAll();
      const restored = await pair.exchange(await PostgresWorld.begin());
      await restored.compareAll();
      for (const one of [pair, restored]) one.close();
    }),
    { numRuns: runs(1), endOnFailure: true },
  );
});

it("PostgreSQL keeps pipelines out during a restore, and abandons a restore that stopped for an hour", async () => {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  const user = { datasource: DATASOURCE, userId: "u1", email: "ada@acme.example", name: "Ada", isActive: true };
  const restore = (from: number) =>
    engine.importPage(instanceId, { backup: "b", from, lines: [{ user }], isLast: false });
  const remove = () => engine.apply(instanceId, [{ act: "remove", datasource: DATASOURCE, externalId: "1" }]);
  expect(await restore(0)).toBe(1);
  await expect(remove()).rejects.toThrow("documents_restoring");
  world.now += 3600;
  expect(await remove()).toEqual(["done"]);
  expect(await restore(1)).toBe(null);
});

it("PostgreSQL reports the latest refusal of an upload, even if it repeats NUL or half a surrogate pair from the request", async () => {
  const { engine, instanceId } = await PostgresWorld.begin();
  const page = uploadPage({ isFirst: true });
  await engine.takePage(instanceId, page);
  for (const message of ["first", "of \0", "of \ud800"]) {
    await engine.noteUploadError(instanceId, page, message);
    expect((await engine.stats(instanceId)).lastRefusal).toEqual({ datasource: DATASOURCE, at: 1000, message });
  }
});
