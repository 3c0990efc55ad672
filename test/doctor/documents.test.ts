import { checkDocuments, type CheckedDocuments } from "#doctor/documents.ts";
import type { DocumentStats } from "#documents/upkeep/keeping.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { describe, expect, it } from "vitest";
import { timeIs } from "../support/time.ts";

const NOW = 1_800_000_000;

const LISTED = { externalId: "1", title: "Holiday" };
const NOTHING = { documents: [] };
const WIKI = { name: "wiki", documents: 100, users: 0, groups: 0, memberships: 0, lastUploadAt: null };

const SOUND: DocumentStats = {
  bytes: 1_000_000_000,
  fullestBytes: 1_000_000_000,
  datasources: [WIKI],
  languages: { en: 150, de: 9 },
  searches: 10,
  receiving: 1,
  removing: 0,
  held: [],
  lastRefusal: null,
  alarmAt: NOW + 3600,
  alarmFailedAt: 0,
};

/** Documents with these statistics, of which a search succeeds, fails or has nothing to find. */
function withStats(stats: () => Promise<DocumentStats>, trial: boolean | null): CheckedDocuments {
  return {
    stats,
    listDocuments: async () => ({ documents: trial === null ? [] : [LISTED], hasEarlier: false, hasLater: false }),
    inspectDocument: async () => null,
    find: () => (trial === false ? Promise.reject(new Error("no search")) : Promise.resolve(NOTHING)),
  } as unknown as CheckedDocuments;
}

async function find(documents: CheckedDocuments, engine = "object") {
  const policy = { instanceId: 1, settings: { searchLanguages: ["en"] }, documents: { engine } } as PolicySnapshot;
  timeIs(() => NOW);
  const findings = await checkDocuments(documents, policy);
  // Every problem comes with a remedy.
  for (const { verdict, remedy } of findings) expect(verdict === "ok" || (remedy ?? "") !== "").toBe(true);
  return Object.fromEntries(findings.map(({ check, verdict, meaning }) => [check, `${verdict}: ${meaning}`]));
}

const found = (changes: Partial<DocumentStats> = {}, engine = "object", trial: boolean | null = true) =>
  find(
    withStats(async () => ({ ...SOUND, ...changes }), trial),
    engine,
  );

describe("the doctor's findings about documents", () => {
  it("say how much there is if all is well", async () => {
    expect(await found()).toEqual({
      Documents: "ok: 1.00 GB of 10 GB, 1 datasource: wiki 100.",
      Searches: "ok: 10 in the last minute, of about 6,000.",
      "Languages of documents": "ok: Other forms of words are found in: en.",
      Uploads: "ok: 1 under way, 0 being completed.",
      "Clean-up of documents": "ok: Next: 2027-01-15 09:00 UTC.",
    });
    const many = Array.from({ length: 15 }, (_, at) => ({ ...WIKI, name: `d${at}`, documents: at }));
    expect((await found({ datasources: many }))["Documents"]).toMatch(/ 15 datasources: d14 14, d13 13, .*d5 5\.$/);
  });

  it("fail if a search fails, whatever the statistics say", async () => {
    expect((await found({}, "object", false))["Searches"]).toMatch(/^failed: A search for a stored document fails/);
    expect((await found({}, "object", null))["Searches"]).toMatch(/^ok/);
  });

  it("warn well before a limit, and fail shortly before it", async () => {
    const at = async (bytes: number) => (await found({ bytes, fullestBytes: bytes }))["Documents"];
    expect(await at(6_999_000_000)).toMatch(/^ok/);
    expect(await at(7_000_000_000)).toMatch(/^warning/);
    expect(await at(9_500_000_000)).toMatch(/^failed/);
    expect((await found({ searches: 3000 }))["Searches"]).toMatch(/^warning/);
  });

  it("judge each of several objects by its own size", async () => {
    const large = await found({ bytes: 26_000_000_000, fullestBytes: 6_900_000_000 }, "shards:4");
    expect(large["Documents"]).toBe(
      "ok: 26.00 GB in 4 objects, the fullest with 6.90 GB of 10 GB, 1 datasource: wiki 100.",
    );
    expect((await found({}, "object@eu"))["Documents"]).toBe("ok: 1.00 GB of 10 GB, in eu, 1 datasource: wiki 100.");
    const full = await found({ bytes: 26_000_000_000, fullestBytes: 7_000_000_000 }, "shards:4");
    expect(full["Documents"]).toMatch(/^warning: .*7\.00 GB of 10 GB/);
  });

  it("name languages in which many documents are and search knows no forms of words", async () => {
    const languages = async (counts: DocumentStats["languages"]) =>
      (await found({ languages: counts }))["Languages of documents"];
    expect(await languages({ en: 150, de: 20, fr: 10, it: 9 })).toBe(
      "warning: New documents are also in: de, fr. Of their words, search finds no other forms.",
    );
    expect(await languages({ en: 150, de: 9 })).toMatch(/^ok/);
    expect(await languages({})).toMatch(/^ok/);
  });

  it("report the latest refusal of an upload, and a clean-up that failed or is overdue", async () => {
    const lastRefusal = { datasource: "wiki", at: NOW, message: "documents[3].id is not acceptable" };
    expect((await found({ lastRefusal }))["Uploads"]).toMatch(/^warning: .*wiki, .*: documents\[3\]\.id is not acc/);
    const cleanUp = async (changes: Partial<DocumentStats>) => (await found(changes))["Clean-up of documents"];
    expect(await cleanUp({ alarmAt: null })).toBe("ok: Nothing to do.");
    expect(await cleanUp({ alarmFailedAt: NOW - 60 })).toMatch(/^failed/);
    expect(await cleanUp({ alarmAt: NOW - 3600 })).toMatch(/^failed/);
  });

  it("fail if the documents don't respond", async () => {
    const down = withStats(() => Promise.reject(new Error("no object")), true);
    expect(await find(down)).toEqual({
      Documents: expect.stringMatching(/^failed: It could not be checked: .*no object/),
    });
  });
});
