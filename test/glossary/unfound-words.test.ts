import { D1UnfoundWords } from "#glossary/unfound-words.d1.ts";
import { UnfoundWords } from "#glossary/unfound-words.ts";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { search } from "../support/app-client.ts";
import { openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { timeIs } from "../support/time.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

const DAY = 86_400;

/** Gives each person the bit of their number. */
const byNumber = {
  macBytes: async (_purpose: string, bytes: Uint8Array<ArrayBuffer>) =>
    Uint8Array.of(Number((JSON.parse(new TextDecoder().decode(bytes)) as unknown[])[2])),
};

describe("words of searches that found nothing", () => {
  let id = 0;
  let now = 100 * DAY;
  const written: Promise<unknown>[] = [];
  const unfound = new UnfoundWords(new D1UnfoundWords(env.DB), byNumber, (work) => written.push(work));

  beforeAll(async () => {
    ({ id } = await makeInstance("unfound"));
  });

  beforeEach(() => timeIs(() => now));

  const noted = async (people: readonly number[], ...words: readonly string[]) => {
    for (const person of people) unfound.note(id, String(person), words);
    await Promise.all(written);
    return unfound.suggestions(id);
  };

  it("are shown once three people have searched for them", async () => {
    expect(await noted([1, 1, 1, 2], "flugkosten", "zoe")).toEqual([]);
    expect(await noted([31], "flugkosten")).toEqual(["flugkosten"]);
    const rows = await env.DB.prepare("SELECT word, people FROM unfound_words WHERE instance_id = ?1").bind(id).all();
    expect(rows.results).toEqual([
      { word: "flugkosten", people: 2 ** 1 + 2 ** 2 + 2 ** 31 },
      { word: "zoe", people: 2 ** 1 + 2 ** 2 },
    ]);
  });

  it("are words of letters only, of at most 30", async () => {
    expect(await noted([1, 2, 3], "a1b2", "4711", "x".repeat(31), "no", "c++", "gästehaus")).toEqual([
      "flugkosten",
      "gästehaus",
    ]);
  });

  it("are 500 of an instance, and those of several people stay", async () => {
    const letters = (at: number) => String(at).replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");
    for (let at = 0; at < 60; at++) {
      unfound.note(
        id,
        "4",
        Array.from({ length: 10 }, (_, place) => `junk${letters(1000 + at * 10 + place)}`),
      );
    }
    expect(await noted([4], "last")).toEqual(["flugkosten", "gästehaus"]);
    const [row] = (await env.DB.prepare("SELECT count(*) AS count FROM unfound_words").all<{ count: number }>())
      .results;
    expect(row?.count).toBe(500);
  });

  it("are forgotten 30 days after the first search", async () => {
    now += 30 * DAY;
    expect(await unfound.sweep()).toBe(0);
    now += DAY;
    expect(await unfound.sweep()).toBe(500);
  });
});

describe("the glossary's page", () => {
  it("suggests what several people searched for in vain, and never an address or what a filter left out", async () => {
    const instance = await makeInstance();
    const people = Array.from({ length: 12 }, (_, at) => `person${at}@acme.example`);
    const ada = await openConsole(instance);
    for (const email of people) {
      const token = await issueClientApiToken(instance, email, "SEARCH");
      for (const query of ["zeppelinhangar", "zeppelin@acme.example", "type:none luftschiff", '"ballon fahrt"']) {
        expect((await search(token, { query })).status).toBe(200);
      }
    }
    const token = await issueClientApiToken(instance, "alone@acme.example", "SEARCH");
    await search(token, { query: "heissluft" });
    await vi.waitFor(async () => expect(await ada.read("/admin/glossary")).toContain("zeppelinhangar"));
    const html = await ada.read("/admin/glossary");
    expect(html).toContain("Words that found nothing");
    expect(html).not.toMatch(/luftschiff|heissluft|ballon|<bdi>(?:zeppelin|acme|example)</);
  });
});
