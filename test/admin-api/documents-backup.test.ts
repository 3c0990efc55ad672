import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { Directory } from "../support/directory.ts";
import { rowsIn, runUpkeep } from "../support/documents.ts";
import { env } from "../support/isolate.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { knownPerson } from "../support/people.ts";
import { draft, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, issueIndexingToken, makeInstance, send, travel } from "../support/world.ts";

const EXPORT = "/internal/documents/export";
const IMPORT = "/internal/documents/import";
const STATS = "/internal/documents/stats";

/** The directory groups of each person. */
const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  "ada@acme.example": ["engineering"],
  "ben@acme.example": ["committee", "finance"],
  "eve@acme.example": [],
};

interface Place {
  readonly instance: InstanceRecord;
  readonly origin: string;
  readonly tokens: ReadonlyMap<string, string>;
}

let source: Place;

beforeAll(async () => {
  source = await makePlace("acme");
  await fill(source);
});

afterEach(() => {
  vi.useRealTimers();
});

async function makePlace(name: string): Promise<Place> {
  const instance = await makeInstance(name);
  const tokens = new Map<string, string>();
  for (const [email, groups] of Object.entries(PEOPLE)) {
    await knownPerson(instance, email);
    await env.DB.prepare("UPDATE people SET directory_groups = ?1 WHERE email = ?2 AND instance_id = ?3")
      .bind(JSON.stringify(groups), email, instance.id)
      .run();
    tokens.set(email, await issueClientApiToken(instance, email, "SEARCH"));
  }
  return { instance, origin: `http://${name}.localhost`, tokens };
}

/**
 * Stores documents with every kind of permission, custom metadata, users, nested and deleted groups, and an unfinished
 * upload.
 */
async function fill({ instance, origin }: Place): Promise<void> {
  const pipeline = await Pipeline.of(instance, undefined, origin);
  const wiki = new Directory(pipeline);
  const allowed: readonly Readonly<Record<string, unknown>>[] = [
    { allowAnonymousAccess: true },
    {},
    { allowedUsers: [{ email: "eve@acme.example" }] },
    { allowedGroups: ["engineering"] },
    { allowedGroups: ["editors"] },
    { allowedGroups: ["committee"] },
    { allowedGroupIntersections: [{ requiredGroups: ["editors", "finance"] }] },
    { allowAllDatasourceUsersAccess: true },
  ];
  await pipeline.index(
    ...allowed.map((permissions, at) =>
      draft(`d${at}`, {
        title: `Osprey ${at}`,
        body: {
          mimeType: "text/plain",
          textContent: `The osprey number ${at} lives \u2028 at the lake.\n`.repeat(at + 1),
        },
        tags: [`tag${at % 3}`],
        author: { name: "Ada", email: "ada@acme.example" },
        updatedAt: 1_700_000_000 + at,
        permissions,
      }),
    ),
  );
  await wiki.user("u1", "eve@acme.example");
  await wiki.user("u2", "ada@acme.example", false);
  await wiki.group("reporters", ["u1"]);
  await wiki.group("editors", ["ben@acme.example"], ["reporters"]);
  await wiki.group("committee");
  await wiki.act("deletegroup", { groupName: "committee" });
  const metadata = await MetadataPipeline.of(instance);
  await metadata.describe("review", [
    { name: "status", propertyType: "PICKLIST" },
    { name: "note", propertyType: "TEXT" },
  ]);
  await metadata.attach("wiki:d0", "review", { status: "Approved", note: "seen by the kingfisher" });
  await metadata.attach("wiki:d3", "review", { status: "Draft" });
  const page = { uploadId: "nightly", datasource: "wiki", isFirstPage: true };
  const documents = [draft("d0", { title: "Osprey 0 again" }), draft("fresh", { title: "Osprey fresh" })];
  await pipeline.post("/api/index/v1/bulkindexdocuments", { ...page, documents });
}

/** Posts like a command that has the master keys. */
async function command({ instance, origin }: Place, path: string, body: unknown): Promise<Response> {
  const token = await servicesOf(env).commandTokens.make(instance.name, origin, path);
  return ask(origin + path, token, body);
}

function ask(url: string, token: string, body: unknown = {}): Promise<Response> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  return send(url, { method: "POST", headers, body: JSON.stringify(body) });
}

type Line = Readonly<Record<string, object>>;

async function exported(place: Place): Promise<Line[]> {
  const lines: Line[] = [];
  for (let after: string | null = null; ; ) {
    const page: { lines: Line[]; next: string | null } = await (await command(place, EXPORT, { after })).json();
    lines.push(...page.lines);
    if (page.next === null)
      return [...lines.filter((line) => !line["document"]), ...lines.filter((line) => line["document"])];
    after = page.next;
  }
}

async function imported(
  place: Place,
  backup: string,
  from: number,
  lines: readonly Line[],
  isLast = true,
): Promise<number> {
  const response = await command(place, IMPORT, { backup, from, lines, isLast });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json<{ taken: number }>()).taken;
}

/** Returns what each person finds by words of titles, texts and metadata, with filters and facets. */
async function finds({ tokens, origin }: Place) {
  const found: Record<string, unknown> = {};
  for (const [email, token] of tokens) {
    for (const body of [
      { query: "osprey" },
      { query: "lake osprey" },
      { query: "kingfisher" },
      { query: "osprey reviewstatus:approved" },
      { query: "osprey", requestOptions: { facetBucketSize: 10 } },
    ]) {
      const { results, facetResults } = await searchAnswer(token, { ...body, pageSize: 100 }, origin);
      found[`${email} ${JSON.stringify(body)}`] = { results, facetResults };
    }
  }
  // Authors' ids differ between instances. They are numbered here, so that the same documents have the same ones.
  const authors = new Set<unknown>();
  return JSON.parse(JSON.stringify(found), (name, value: unknown) =>
    name === "obfuscatedId" ? [...authors.add(value)].indexOf(value) : value,
  ) as unknown;
}

describe("the documents of a backup", () => {
  it("are restored into another object, where everybody finds the same as before", async () => {
    const target = await makePlace("target");
    const lines = await exported(source);
    expect(await imported(target, "b1", 0, lines)).toBe(lines.length);
    const before = await finds(source);
    expect(await finds(target)).toEqual(before);
    // The results that are compared differ between people, so they aren't all empty.
    const counts = Object.values(before as Record<string, { results: unknown[] }>).map(({ results }) => results.length);
    expect(new Set(counts).size).toBeGreaterThan(3);
    expect((await exported(target)).map(withoutVersion)).toEqual(lines.map(withoutVersion));
  });

  it("make an unfinished upload start again, after which documents that it leaves out are removed", async () => {
    const target = await makePlace("begins-anew");
    await imported(target, "b2", 0, await exported(source));
    const pipeline = await Pipeline.of(target.instance, undefined, target.origin);
    const page = { uploadId: "nightly", datasource: "wiki", documents: [draft("d0", { title: "Osprey 0" })] };
    const bulk = (body: object) => pipeline.post("/api/index/v1/bulkindexdocuments", { ...page, ...body });
    const next = await bulk({ isLastPage: true });
    expect([next.status, (await readRefusal(next)).message]).toEqual([
      409,
      expect.stringContaining("start with the first page"),
    ]);
    expect((await bulk({ isFirstPage: true, isLastPage: true })).status).toBe(200);
    await runUpkeep(target.instance);
    expect(await rowsIn(target.instance, "SELECT external_id AS id FROM documents")).toEqual([{ id: "d0" }]);
  });

  it("continue after an interrupted restore, and a repeated page changes nothing", async () => {
    const target = await makePlace("interrupted");
    const lines = await exported(source);
    expect(await imported(target, "b3", 0, [])).toBe(0);
    expect(await imported(target, "b3", 0, lines.slice(0, 6), false)).toBe(6);
    expect(await imported(target, "b3", 0, lines.slice(0, 6), false)).toBe(6);
    expect(await imported(target, "b3", 9, lines.slice(9))).toBe(6);
    expect(await imported(target, "b3", 6, lines.slice(6))).toBe(lines.length);
    expect(await finds(target)).toEqual(await finds(source));
    const stats = await (await command(target, STATS, {})).json<{ datasources: { documents: number }[] }>();
    expect(stats.datasources[0]?.documents).toBe(9);
  });

  it("keep pipelines out until all are restored, because writes could undo deletions and narrowed permissions", async () => {
    const target = await makePlace("kept-out");
    const lines = await exported(source);
    const pipeline = await Pipeline.of(target.instance, undefined, target.origin);
    const metadata = await MetadataPipeline.of(target.instance);
    await metadata.describe("review", [{ name: "status", propertyType: "PICKLIST" }]);
    const page = { uploadId: "u", datasource: "wiki", isFirstPage: true };
    const write = async () => [
      (await pipeline.post("/api/index/v1/deletedocument", { datasource: "wiki", id: "d0" })).status,
      (await pipeline.post("/api/index/v1/deleteuser", { datasource: "wiki", email: "eve@acme.example" })).status,
      (await pipeline.post("/api/index/v1/bulkindexdocuments", { ...page, documents: [draft("d1")] })).status,
      (await metadata.values("PUT", "wiki:d1", "review", { customMetadata: [] })).status,
    ];
    expect(await imported(target, "b5", 0, lines.slice(0, 6), false)).toBe(6);
    expect(await write()).toEqual([503, 503, 503, 503]);
    expect(await imported(target, "b5", 6, lines.slice(6))).toBe(lines.length);
    expect(await write()).toEqual([200, 200, 200, 200]);
  });

  it("no longer keep pipelines out after a restore has stopped for an hour, and the restore can't continue", async () => {
    const target = await makePlace("given-up");
    const lines = await exported(source);
    await imported(target, "b6", 0, lines.slice(0, -1), false);
    const deletion = async () => {
      const pipeline = await Pipeline.of(target.instance, undefined, target.origin);
      return pipeline.post("/api/index/v1/deletedocument", { datasource: "wiki", id: "d0" });
    };
    travel(3590);
    expect((await deletion()).status).toBe(503);
    travel(20);
    expect((await deletion()).status).toBe(200);
    await expect(imported(target, "b6", lines.length - 1, lines.slice(-1))).rejects.toThrow("409");
    expect(await rowsIn(target.instance, "SELECT 1 FROM documents WHERE external_id = 'd0'")).toEqual([]);
  });

  it("are not exported from a position that no export returned", async () => {
    const places = ["", "0", "0 ", "0 x", "0 null", "0 []", "0 [5]", "0 [-1]", "0 [0.5]", '0 ["map"]', "0 [0,7]"];
    const keys = ["[1e400]", '["1"]', "[1,2]", "[null]", "[]"].map((key) => `0 [1,${key}]`);
    const texts = ['["wiki"]', '["wiki",1]'].map((key) => `0 [3,${key}]`);
    for (const after of [...places, ...keys, ...texts]) {
      const response = await command(source, EXPORT, { after });
      expect([response.status, (await readRefusal(response)).message], after).toEqual([
        400,
        "after is not acceptable: send the next of another page",
      ]);
    }
  });

  it("are not restored over others", async () => {
    const lines = await exported(source);
    const before = await exported(source);
    const response = await command(source, IMPORT, { backup: "b4", from: 0, lines, isLast: true });
    expect([response.status, (await readRefusal(response)).error]).toEqual([409, "conflict"]);
    const other = await makePlace("not-empty");
    await new Directory(await Pipeline.of(other.instance, undefined, other.origin)).group("editors");
    expect((await command(other, IMPORT, { backup: "b4", from: 0, lines: [], isLast: false })).status).toBe(409);
    expect(await exported(source)).toEqual(before);
  });

  it("are exported with every group that they name, whenever during the export it is described", async () => {
    const place = await makePlace("described-late");
    const pipeline = await Pipeline.of(place.instance, undefined, place.origin);
    let pages = 1;
    for (let late = 1; late <= pages; late += 1) {
      const lines: Line[] = [];
      pages = 0;
      for (let after: string | null = null; pages === 0 || after !== null; ) {
        const page: { lines: Line[]; next: string | null } = await (await command(place, EXPORT, { after })).json();
        lines.push(...page.lines);
        pages += 1;
        if (pages === late) {
          await new Directory(pipeline).group(`late${late}`);
          await pipeline.index(draft(`secret${late}`, { permissions: { allowedGroups: [`late${late}`] } }));
        }
        after = page.next;
      }
      const has = (kind: string, member: string, name: string) =>
        lines.some((line) => (line[kind] as Record<string, unknown> | undefined)?.[member] === name);
      if (has("document", "externalId", `secret${late}`)) expect(has("group", "name", `late${late}`)).toBe(true);
    }
    expect(pages).toBeGreaterThan(5);
  });
});

describe("a page of an export", () => {
  it("ends before a million characters, whether they are texts or permissions", async () => {
    const place = await makePlace("large");
    const pipeline = await Pipeline.of(place.instance, undefined, place.origin);
    const allowedUsers = (at: number) => Array.from({ length: 3000 }, (_, n) => ({ email: `p${n}@x${at}.example` }));
    await pipeline.index(
      ...[1, 2, 3].map((at) => draft(`many${at}`, { permissions: { allowedUsers: allowedUsers(at) } })),
      draft("long", { body: { mimeType: "text/plain", textContent: "word ".repeat(199_000) } }),
      draft("longer", { body: { mimeType: "text/plain", textContent: "word ".repeat(199_000) } }),
    );
    const sizes: number[] = [];
    for (let after: string | null = null; ; ) {
      const page: { lines: Line[]; next: string | null } = await (await command(place, EXPORT, { after })).json();
      const size = JSON.stringify(page.lines).length;
      if (page.lines.length > 1) expect(size).toBeLessThan(1_001_000);
      if (page.lines.length > 0) sizes.push(page.lines.length);
      if (page.next === null) break;
      after = page.next;
    }
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(5);
  });
});

describe("the endpoints of commands", () => {
  it("respond 401 to every other credential, and to a token of another instance, host, path or time", async () => {
    const { commandTokens } = servicesOf(env);
    const app = await AppClient.registered();
    const valid = await commandTokens.make("acme", source.origin, EXPORT);
    const [expires = "", mac = ""] = valid.split(".");
    const strangers = [
      "",
      "nonsense",
      env.MASTER_KEYS ?? "",
      (await app.tokens()).access_token,
      await issueIndexingToken(source.instance, "documents:global_scope"),
      source.tokens.get("ada@acme.example") ?? "",
      await commandTokens.make("target", source.origin, EXPORT),
      await commandTokens.make("acme", "https://gatehouse.evil.example", EXPORT),
      await commandTokens.make("acme", source.origin, IMPORT),
      `${Number(expires) + 1}.${mac}`,
      `${expires}.${mac.slice(0, -1)}`,
      `${valid}.`,
    ];
    for (const token of strangers) {
      const response = await ask(source.origin + EXPORT, token, { after: null });
      expect([token, response.status, response.headers.get("WWW-Authenticate")]).toEqual([token, 401, "Bearer"]);
    }
    expect((await ask(source.origin + EXPORT, valid, { after: null })).status).toBe(200);
    travel(301);
    expect((await ask(source.origin + EXPORT, valid, { after: null })).status).toBe(401);
  });

  it("respond 400 to a body that isn't a page", async () => {
    for (const body of [{}, { after: 1 }]) expect((await command(source, EXPORT, body)).status).toBe(400);
    for (const body of [
      { lines: [] },
      { backup: "x", from: 0, lines: [] },
      { backup: "x", from: "0", lines: [], isLast: true },
      { backup: "x", from: 0, lines: [{ secrets: {} }], isLast: true },
      { backup: "x", from: 0, lines: [1], isLast: true },
    ]) {
      expect((await command(source, IMPORT, body)).status).toBe(400);
    }
  });

  it("respond 400 to a line that no export writes, with its number and its member", async () => {
    const place = await makePlace("malformed");
    const lines = await exported(source);
    for (const kind of ["metadataGroup", "user", "group", "membership", "document"]) {
      const line = lines.find((each) => each[kind]);
      const content: Readonly<Record<string, unknown>> = { ...line?.[kind] };
      for (const member of Object.keys(content).filter((each) => each !== "id" || kind !== "document")) {
        for (const wrong of [{ ...content, [member]: { x: 1 } }, without(content, member)]) {
          const page = { backup: "b6", from: 0, lines: [line, { [kind]: wrong }], isLast: false };
          const { status, message } = await refused(place, page);
          expect([kind, member, status, message]).toEqual([
            kind,
            member,
            400,
            expect.stringMatching(new RegExp(`^Line 2: ${kind}\\.${member}\\b`)),
          ]);
        }
      }
    }
    for (const line of [1, {}, { secrets: {} }, { user: {}, group: {} }, { __proto__: null, constructor: {} }]) {
      const { status, message } = await refused(place, { backup: "b6", from: 7, lines: [line], isLast: false });
      expect([status, message]).toEqual([400, expect.stringContaining("Line 8: it must have one of metadataGroup,")]);
    }
    expect(await imported(place, "b7", 0, lines)).toBe(lines.length);
  });
});

async function refused(place: Place, page: object): Promise<{ status: number; message: unknown }> {
  const response = await command(place, IMPORT, page);
  return { status: response.status, message: (await response.json<{ message: unknown }>()).message };
}

function without(content: Readonly<Record<string, unknown>>, member: string): object {
  return Object.fromEntries(Object.entries(content).filter(([name]) => name !== member));
}

/** Returns a document's line without its id. */
function withoutVersion(line: Line): object {
  const { id: _id, ...document } = (line["document"] ?? {}) as Record<string, unknown>;
  return line["document"] ? { document } : line;
}
