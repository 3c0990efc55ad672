import { runInDurableObject } from "cloudflare:test";
import type { ObjectCalls } from "#documents/documents.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../../support/app-client.ts";
import { finishMove } from "../../support/admin-calls.ts";
import { rowsIn, runUpkeep } from "../../support/documents.ts";
import { env } from "../../support/isolate.ts";
import { draft, Pipeline, searchAnswer } from "../../support/pipeline.ts";
import { changeSettings, makeInstance } from "../../support/world.ts";

/** What documents move to. */
const SECOND = "shards:2";

describe("the languages of an instance's documents", () => {
  let token: string;
  let pipeline: Pipeline;
  let instance: Awaited<ReturnType<typeof makeInstance>>;

  beforeAll(async () => {
    instance = await makeInstance();
    pipeline = await Pipeline.of(instance);
    await pipeline.index(draft("keys", { title: "Wartung und Möglichkeiten" }));
    token = (await (await AppClient.registered()).tokens("ben")).access_token;
  });

  const titles = async (query: string) =>
    (await searchAnswer(token, { query })).results.map(({ title }: { title: string }) => title);

  it("default to English: a form of a word in another language is another word", async () => {
    expect(await titles("möglich ")).toEqual([]);
    expect(await titles("Möglichkeiten")).toHaveLength(1);
  });

  it("are applied, once they are chosen, to existing words and to new ones", async () => {
    await changeSettings("acme", { searchLanguages: ["de", "en"] });
    await titles("möglich ");
    await runUpkeep(instance);
    expect(await titles("möglich ")).toEqual(["Wartung und Möglichkeiten"]);
    await pipeline.index(draft("doors", { title: "Türen und Fenster" }));
    expect(await titles("Tür ")).toEqual(["Türen und Fenster"]);
  });

  it("are learnt again when the documents come back to the object, and never while they are elsewhere", async () => {
    const { documents } = servicesOf(env).administrationOf(instance, "test");
    await documents.move(SECOND);
    await finishMove(instance);
    await documents.eraseOld();
    await finishMove(instance);
    expect(await titles("möglich ")).toEqual([]);
    const preferences = { languages: ["de", "fr"], recentAt: null };
    await runInDurableObject(env.DOCUMENTS.getByName(String(instance.id)), async (left) => {
      const asked = (left as unknown as ObjectCalls).find({ preferences } as never, {} as never);
      await expect(asked).rejects.toThrow("documents_elsewhere");
    });
    expect(await rowsIn(instance, "SELECT language FROM languages")).toEqual([]);
    await documents.move("object");
    await finishMove(instance);
    await titles("möglich ");
    await runUpkeep(instance);
    expect(await titles("möglich ")).toEqual(["Wartung und Möglichkeiten"]);
  });

  it("must be known, and at least one", async () => {
    await expect(changeSettings("acme", { searchLanguages: ["xx"] })).rejects.toThrow("searchLanguages");
    await expect(changeSettings("acme", { searchLanguages: [] })).rejects.toThrow("searchLanguages");
  });

  it("don't change the order, but recently updated documents come first if the instance prefers them", async () => {
    const now = Math.floor(Date.now() / 1000);
    await pipeline.index(draft("new", { title: "Ferry timetable", updatedAt: now - 3600 }));
    await pipeline.index(draft("old", { title: "Ferry timetable", updatedAt: now - 3 * 365 * 86_400 }));
    const first = async () => (await searchAnswer(token, { query: "ferry timetable" })).results[0]?.document.id;
    expect(await first()).toBe("wiki:old");
    await changeSettings("acme", { searchPrefersRecent: true });
    expect(await first()).toBe("wiki:new");
  });
});
