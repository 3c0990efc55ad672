import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { MeasuredIsolate } from "../support/measured-isolate.ts";
import { rowsIn, runUpkeep, runUpkeepStep } from "../support/documents.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { makeInstance } from "../support/world.ts";

const HR = [
  { name: "Status", propertyType: "PICKLIST" },
  { name: "Note", propertyType: "TEXT" },
  { name: "Teams", propertyType: "MULTIPICKLIST" },
  { name: "Topics", propertyType: "TEXTLIST" },
  { name: "Code", propertyType: "PICKLIST", skipIndexing: true },
];

let instance: InstanceRecord;
let pipeline: MetadataPipeline;
let instances = 0;

/** Makes an instance whose document `a` has no values yet. */
async function begin(): Promise<void> {
  instances += 1;
  instance = await makeInstance(`values${instances}`);
  pipeline = await MetadataPipeline.of(instance);
  await pipeline.describe("hr", HR);
  await pipeline.index("a");
}

/** Reads a document's values from the index: free text by its words, and filters as `<field name>=<value>`. */
async function indexed(externalId: string): Promise<{ text: string[]; filters: string[] }> {
  const [row] = await rowsIn<{ text: string }>(
    instance,
    "SELECT metadata_words AS text FROM documents WHERE external_id = ?1",
    externalId,
  );
  const filters = await rowsIn<{ filter: string }>(
    instance,
    `SELECT substr(t.field, 1, 1) || ':' || COALESCE(k.facet_name, '?') || '=' || t.value AS filter
     FROM documents d CROSS JOIN json_each(d.metadata_terms) e CROSS JOIN filter_terms t ON t.id = e.value
     LEFT JOIN metadata_keys k ON k.id = CAST(substr(t.field, 2) AS INTEGER)
     WHERE d.external_id = ?1 AND t.value <> '' ORDER BY 1`,
    externalId,
  );
  return { text: (row?.text ?? "").split("\n").filter(Boolean), filters: filters.map(({ filter }) => filter) };
}

/** Counts the instance's documents that the index finds by an expression. */
async function matching(expression: string): Promise<number> {
  const [row] = await rowsIn<{ n: number }>(
    instance,
    "SELECT count(*) AS n FROM postings WHERE postings MATCH ?1",
    expression,
  );
  return row?.n ?? -1;
}

/** Returns a request with one value. */
function one(name: string, value: unknown) {
  return { customMetadata: [{ name, value }] };
}

async function entries(): Promise<unknown[]> {
  const rows = await rowsIn<{ entries: string }>(
    instance,
    "SELECT entries FROM document_metadata ORDER BY document_id, group_id",
  );
  return rows.map((row) => Object.values(JSON.parse(row.entries) as Record<string, unknown>));
}

describe("values of a document (wire contract, Custom Metadata)", () => {
  beforeEach(begin);

  it.each(["/rest/api/index", "/api/index/v1"])("can be put and deleted at %s, with 200 and JSON", async (base) => {
    const at = pipeline.at(base);
    const customMetadata = [{ name: "status", value: "Approved" }];
    for (const answer of [
      await at.values("PUT", "wiki:a", "HR", { customMetadata }),
      await at.values("DELETE", "wiki:a", "hr"),
      await at.values("DELETE", "wiki:a", "hr"),
    ]) {
      expect([answer.status, answer.headers.get("Content-Type"), await answer.json()]).toEqual([
        200,
        "application/json",
        { success: true },
      ]);
    }
    expect(await indexed("a")).toEqual({ text: [], filters: [] });
  });

  it("are indexed by word and as a whole, except in free text if their key says so", async () => {
    await pipeline.attach("wiki:a", "hr", {
      STATUS: "In Review",
      note: "The Größe of\u0000 herons",
      teams: ["Sales", "R & D"],
      topics: ["bird watching", "Marsh"],
      code: "X-17",
    });
    expect(await indexed("a")).toEqual({
      text: ["In Review", "The Größe of herons", "Sales", "R & D", "bird watching", "Marsh"],
      filters: [
        "k:hrcode=x-17",
        "k:hrnote=the größe of herons",
        "k:hrstatus=in review",
        "k:hrteams=r & d",
        "k:hrteams=sales",
        "k:hrtopics=bird watching",
        "k:hrtopics=marsh",
        "w:hrnote=grosse",
        "w:hrnote=herons",
        "w:hrnote=of",
        "w:hrnote=the",
        "w:hrtopics=bird",
        "w:hrtopics=marsh",
        "w:hrtopics=watching",
      ],
    });
    expect(await matching("metadata : herons")).toBe(1);
    expect(await matching("17")).toBe(0);
    expect(await entries()).toEqual([
      [["In Review"], ["The Größe of herons"], ["Sales", "R & D"], ["bird watching", "Marsh"], ["X-17"]],
    ]);
  });

  it("replace all values of their group on the document, and none of another group or document", async () => {
    await pipeline.describe("legal", [{ name: "Hold", propertyType: "PICKLIST" }]);
    await pipeline.index("b");
    await pipeline.attach("wiki:a", "legal", { hold: "yes" });
    await pipeline.attach("wiki:b", "hr", { status: "old" });
    await pipeline.attach("wiki:a", "hr", { status: "old", note: "heron" });
    await pipeline.attach("wiki:a", "hr", { status: "new" });
    expect(await indexed("a")).toEqual({ text: ["new", "yes"], filters: ["k:hrstatus=new", "k:legalhold=yes"] });
    expect(await matching("heron")).toBe(0);
    await pipeline.values("DELETE", "wiki:a", "hr");
    expect(await indexed("a")).toEqual({ text: ["yes"], filters: ["k:legalhold=yes"] });
    expect(await indexed("b")).toEqual({ text: ["old"], filters: ["k:hrstatus=old"] });
  });

  it("are removed by an empty text, an empty list or an empty request", async () => {
    await pipeline.attach("wiki:a", "hr", { status: "old", teams: ["x"] });
    await pipeline.attach("wiki:a", "hr", { status: "  ", teams: [], topics: ["", "kept"] });
    expect(await entries()).toEqual([[["kept"]]]);
    await pipeline.attach("wiki:a", "hr", { status: "", teams: [""] });
    expect(await entries()).toEqual([]);
    await pipeline.attach("wiki:a", "hr", { status: "again" });
    await pipeline.attach("wiki:a", "hr", {});
    expect([await entries(), await indexed("a")]).toEqual([[], { text: [], filters: [] }]);
  });

  it("outlast a re-indexing of the document, but not its deletion", async () => {
    await pipeline.attach("wiki:a", "hr", { status: "approved", note: "heron" });
    const before = await indexed("a");
    await pipeline.index("a", { title: "Another title", body: { textContent: "Another body" } });
    expect(await indexed("a")).toEqual(before);
    expect(await matching("{title metadata} : (another AND heron)")).toBe(1);
    await pipeline.remove("a");
    await pipeline.index("a");
    expect(await indexed("a")).toEqual({ text: [], filters: [] });
    expect(await matching("heron")).toBe(0);
  });

  it("can be written to documents of every datasource with a token for the group alone", async () => {
    const narrow = await MetadataPipeline.of(instance, "custommetadata:HR");
    await pipeline.index("t", { datasource: "tickets" });
    await narrow.attach("wiki:a", "hr", { status: "one" });
    await narrow.attach("Tickets:t", "hr", { status: "two" });
    expect([(await indexed("a")).text, (await indexed("t")).text]).toEqual([["one"], ["two"]]);
    await pipeline.describe("legal", [{ name: "Hold", propertyType: "PICKLIST" }]);
    const refused = await narrow.values("PUT", "wiki:a", "legal", { customMetadata: [] });
    expect(refused.status).toBe(401);
  });
});

describe("writes of values", () => {
  beforeEach(begin);

  it("leave one of twenty that are made at once, complete", async () => {
    const racers = Array.from({ length: 20 }, (_, racer) => ({ status: `s${racer}`, note: `n${racer}` }));
    const answers = await Promise.all(
      racers.map((values) => {
        const customMetadata = Object.entries(values).map(([name, value]) => ({ name, value }));
        return pipeline.values("PUT", "wiki:a", "hr", { customMetadata });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { text, filters } = await indexed("a");
    expect(racers.map(({ status, note }) => [status, note])).toContainEqual(text);
    expect(filters).toEqual([`k:hrnote=${text[1]}`, `k:hrstatus=${text[0]}`, `w:hrnote=${text[1]}`]);
  });

  it("need one round trip besides the gate, and so do writes of schemas", async () => {
    const isolate = new MeasuredIsolate();
    const put = (path: string, body: unknown) =>
      isolate.send(`${pipeline.origin}/rest/api/index${path}`, {
        method: "PUT",
        headers: { Authorization: `Bearer ${pipeline.token}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    const schema = () => put("/custom-metadata/schema/hr", { metadataKeys: HR });
    const values = () => put("/document/wiki%3Aa/custom-metadata/hr", one("status", "x"));
    expect([(await schema()).status, (await values()).status]).toEqual([200, 200]);
    expect((await isolate.costOf(schema)).roundTrips).toBe(1);
    expect((await isolate.costOf(values)).roundTrips).toBe(1);
  });

  it("accept names that mean something to programs, and hostile texts", async () => {
    const names = ["constructor", "toString", "hasOwnProperty", "null", "select", "0"];
    await pipeline.describe(
      "valueOf",
      names.map((name) => ({ name, propertyType: "PICKLIST" })),
    );
    const hostile = ["'; DROP TABLE documents; --", 'a" OR f1', "\u0002x\u0003", "\ud800", "$&", "f1 OR p1"];
    await pipeline.attach("wiki:a", "valueof", Object.fromEntries(names.map((name, at) => [name, hostile[at]])));
    expect((await indexed("a")).text).toEqual([
      "'; DROP TABLE documents; --",
      'a" OR f1',
      "x",
      "\ufffd",
      "$&",
      "f1 OR p1",
    ]);
  });
});

describe("a document's id in a path", () => {
  beforeAll(begin);

  it.each(["a b", "ä/ö?ü#", "a:b", "100%", "%41", "%2F", "+", "日本語", "😀", "a'--", "..", "x;y", "a\\b", "."])(
    "may be %s, percent-encoded, with its datasource, and without it if there is no colon",
    async (id) => {
      await pipeline.index(id);
      await pipeline.attach(`wiki:${id}`, "hr", { status: "full" });
      expect((await indexed(id)).text).toEqual(["full"]);
      if (/^\.+$|:/.test(id)) return;
      await pipeline.attach(id, "hr", { status: "bare" });
      expect((await indexed(id)).text).toEqual(["bare"]);
      expect((await indexed("a")).text).toEqual([]);
    },
  );

  it.each([
    ["a document that does not exist", "wiki:nothing", "hr"],
    ["an id that does not exist", "nothing", "hr"],
    ["the id in another case", "wiki:A", "hr"],
    ["a datasource without an id", "wiki:", "hr"],
    ["no datasource", ":a", "hr"],
    ["a group that does not exist", "wiki:a", "nothing"],
    ["neither", "wiki:nothing", "nothing"],
  ])("gets 404 for %s", async (_what, documentId, group) => {
    const before = await entries();
    for (const method of ["PUT", "DELETE"] as const) {
      const body = method === "PUT" ? { customMetadata: [{ name: "status", value: "x" }] } : undefined;
      const response = await pipeline.values(method, documentId, group, body);
      expect([response.status, (await readRefusal(response)).error]).toEqual([404, "not_found"]);
    }
    expect(await entries()).toEqual(before);
  });

  it("only names documents of this instance", async () => {
    const elsewhere = await MetadataPipeline.of(await makeInstance(`elsewhere${instances}`));
    await elsewhere.describe("hr", HR);
    for (const id of ["wiki:a", "a"]) {
      expect((await elsewhere.values("PUT", id, "hr", { customMetadata: [] })).status).toBe(404);
    }
  });
});

describe("a document's id in a path that may mean two documents", () => {
  beforeEach(begin);

  it("needs the datasource if two of them have the id", async () => {
    await pipeline.index("a", { datasource: "tickets" });
    const refused = await pipeline.values("PUT", "a", "hr", { customMetadata: [] });
    expect([refused.status, (await readRefusal(refused)).message]).toEqual([
      400,
      expect.stringMatching(/<datasource>/),
    ]);
    await pipeline.attach("tickets:a", "hr", { status: "x" });
    expect(await entries()).toHaveLength(1);
  });

  it("means the document of the named datasource, even if another one's id looks the same", async () => {
    await pipeline.index("wiki:a", { datasource: "tickets" });
    await pipeline.attach("wiki:a", "hr", { status: "x" });
    expect([(await indexed("a")).text, (await indexed("wiki:a")).text]).toEqual([["x"], []]);
  });
});

describe("invalid values", () => {
  beforeAll(begin);

  it.each([
    ["an unknown key", one("nothing", "x")],
    ["a list for a PICKLIST", one("status", ["x"])],
    ["a list for a TEXT", one("note", ["x"])],
    ["a text for a MULTIPICKLIST", one("teams", "x")],
    ["a text for a TEXTLIST", one("topics", "x")],
    ["an empty list for a TEXT", one("note", [])],
    ["a number", one("note", 7)],
    ["a boolean", one("note", true)],
    ["null", one("note", null)],
    ["an object", one("note", { stringValue: "x" })],
    ["a list with a number", one("teams", ["x", 7])],
    ["no value", { customMetadata: [{ name: "note" }] }],
    ["no name", { customMetadata: [{ value: "x" }] }],
    ["a name with a dash", one("no-te", "x")],
    ["no values", {}],
    ["values that are no list", { customMetadata: { note: "x" } }],
    ["a text of more than 10,000 bytes", one("note", "ü".repeat(5001))],
    [
      "a list of 101 values",
      one(
        "teams",
        Array.from({ length: 101 }, (_, index) => `t${index}`),
      ),
    ],
    [
      "more than 32,000 bytes in all",
      one(
        "topics",
        Array.from({ length: 40 }, () => "x".repeat(900)),
      ),
    ],
    ["a key twice", { customMetadata: [one("note", "x"), one("NOTE", "y")].flatMap((body) => body.customMetadata) }],
    ["a member twice", '{"customMetadata":[{"name":"note","value":"x","value":"y"}]}'],
    ["an array", [{ name: "note", value: "x" }]],
    ["no JSON", '{"customMetadata":['],
    [
      "a good value beside a bad one",
      {
        customMetadata: [
          { name: "note", value: "new" },
          { name: "x", value: "x" },
        ],
      },
    ],
  ])("are refused, and change nothing: %s", async (_what, body) => {
    await pipeline.attach("wiki:a", "hr", { status: "kept" });
    const response = await pipeline.values("PUT", "wiki:a", "hr", body);
    expect([response.status, (await readRefusal(response)).error]).toEqual([400, "bad_request"]);
    expect(await indexed("a")).toEqual({ text: ["kept"], filters: ["k:hrstatus=kept"] });
  });

  it("are refused with 413 if they have 1 MB", async () => {
    const response = await pipeline.values("PUT", "wiki:a", "hr", one("note", "x".repeat(1024 * 1024)));
    expect([response.status, (await readRefusal(response)).error]).toEqual([413, "request_too_large"]);
  });

  it.each([
    ["indexed", false],
    ["only filtered by", true],
  ])(
    "are refused if all groups exceed a document's limit, %s, and fit again when another group's are deleted",
    async (_how, skipIndexing) => {
      const topics = Array.from({ length: 100 }, (_, index) => `${"x".repeat(300)}${index}`);
      const taken: string[] = [];
      for (let group = 0; group < 6; group += 1) {
        await pipeline.describe(`g${group}x`, [{ name: "topics", propertyType: "TEXTLIST", skipIndexing }]);
        const response = await pipeline.values("PUT", "wiki:a", `g${group}x`, one("topics", topics));
        if (response.status === 200) taken.push(`g${group}x`);
        else expect((await readRefusal(response)).message).toMatch(/too large/);
      }
      expect(taken).toHaveLength(4);
      await pipeline.values("DELETE", "wiki:a", "g0x");
      await pipeline.attach("wiki:a", "g5x", { topics });
    },
  );

  it("of one group leave room for a few of another on the same document", async () => {
    await begin();
    // With 600 bytes less each, and the lines between values, these are 127,008 of 128,000 bytes.
    for (const [at, values] of [3, 3, 3, 3, 1].entries()) {
      await pipeline.describe(`filling${at}`, [{ name: "topics", propertyType: "TEXTLIST" }]);
      const topics = Array.from({ length: values }, (_, value) => String(value).repeat(10_000));
      await pipeline.attach("wiki:a", `filling${at}`, { topics });
    }
    await pipeline.attach("wiki:a", "hr", { note: "y".repeat(450) });
    expect((await pipeline.values("PUT", "wiki:a", "hr", one("note", "y".repeat(2000)))).status).toBe(400);
  });
});

describe("schema changes after values were written", () => {
  beforeEach(begin);

  it("hide the values of a removed key, and give none of them to a new key with the same name", async () => {
    await pipeline.attach("wiki:a", "hr", { note: "heron", topics: ["egret"], code: "x" });
    // The newest key, whose id a table without memory would give again.
    await pipeline.describe("hr", HR.slice(0, -2));
    await pipeline.describe("hr", [...HR.slice(0, -2), { name: "topics", propertyType: "PICKLIST" }]);
    await runUpkeep(instance);
    expect(await indexed("a")).toEqual({ text: ["heron"], filters: ["k:hrnote=heron", "w:hrnote=heron"] });
    expect(await entries()).toEqual([[["heron"]]]);
    await pipeline.attach("wiki:a", "hr", { topics: "one text now" });
    expect((await indexed("a")).text).toEqual(["one text now"]);
  });

  it("leave a removed group's values to the clean-up, and give none of them to a new group with the same name", async () => {
    await pipeline.attach("wiki:a", "hr", { status: "approved", note: "heron" });
    expect((await pipeline.schema("DELETE", "hr")).status).toBe(200);
    expect(await matching("heron")).toBe(1);
    await pipeline.describe("hr", HR);
    await runUpkeep(instance);
    expect([await indexed("a"), await entries(), await matching("heron")]).toEqual([{ text: [], filters: [] }, [], 0]);
  });

  it("make free text find a key, or no longer, from the next clean-up on", async () => {
    await pipeline.attach("wiki:a", "hr", { note: "heron", code: "egret" });
    const flipped = HR.map((key) => ({ ...key, skipIndexing: key.skipIndexing !== true }));
    await pipeline.describe("hr", flipped);
    expect(await indexed("a")).toMatchObject({ text: ["heron"] });
    await runUpkeep(instance);
    expect(await indexed("a")).toEqual({
      text: ["egret"],
      filters: ["k:hrcode=egret", "k:hrnote=heron", "w:hrnote=heron"],
    });
  });

  it("are followed by a clean-up in steps, however many documents it concerns", async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `d${at}`);
    await Promise.all(ids.map((id) => pipeline.index(id)));
    await Promise.all(ids.map((id) => pipeline.attach(`wiki:${id}`, "hr", { note: `heron ${id}` })));
    await pipeline.schema("DELETE", "hr");
    expect(await matching("heron")).toBe(60);
    await runUpkeepStep(instance);
    expect(await matching("heron")).toBe(10);
    await runUpkeep(instance);
    expect(await matching("heron")).toBe(0);
  });

  it("compete with writes of values, and the values that are left fit the schema that is left", async () => {
    const note = (propertyType: string) => [{ name: "note", propertyType }];
    await pipeline.describe("race", note("TEXT"));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, racer) => {
        if (racer % 6 === 3) return pipeline.schema("DELETE", "race");
        if (racer % 6 === 4)
          return pipeline.schema("PUT", "race", { metadataKeys: note(racer % 12 === 4 ? "TEXTLIST" : "TEXT") });
        const value = racer % 2 === 0 ? `text ${racer}` : [`list ${racer}`];
        return pipeline.values("PUT", "wiki:a", "race", one("note", value));
      }),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    await pipeline.describe("other", note("TEXT"));
    await runUpkeep(instance);
    const left = await pipeline.schema("GET", "race");
    const { text } = await indexed("a");
    if (left.status === 404) expect(text).toEqual([]);
    else {
      const { metadataKeys } = await left.json<{ metadataKeys: { propertyType: string }[] }>();
      const wanted = metadataKeys[0]?.propertyType === "TEXT" ? /^text/ : /^list/;
      expect(text.every((value) => wanted.test(value))).toBe(true);
    }
  });
});
