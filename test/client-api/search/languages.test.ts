import { runInDurableObject } from "cloudflare:test";
import type { ObjectCalls } from "#documents/documents.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../../support/app-client.ts";
import { finishMove } from "../../support/admin-calls.ts";
import { rowsIn, runUpkeep } from "../../support/documents.ts";
import { env } from "../../support/isolate.ts";
import { draft, Pipeline, searchAnswer } from "../../support/pipeline.ts";
import { SECOND } from "../../support/second-engine.ts";
import { changeSettings, makeInstance } from "../../support/world.ts";

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

  it("begin with English: a form of another language's word is another word", async () => {
    expect(await titles("möglich ")).toEqual([]);
    expect(await titles("Möglichkeiten")).toHaveLength(1);
  });

  it("are learnt once they are chosen: of the words that are there, and of those that come", async () => {
    await changeSettings("acme", { searchLanguages: ["de", "en"] });
    await titles("möglich ");
    await runUpkeep(instance);
    expect(await titles("möglich ")).toEqual(["Wartung und Möglichkeiten"]);
    await pipeline.index(draft("doors", { title: "Türen und Fenster" }));
    expect(await titles("Tür ")).toEqual(["Türen und Fenster"]);
  });

  it("are learnt again where the documents were away, and never where they are not", async () => {
    const { documents } = servicesOf(env).administration;
    await documents.move(instance, SECOND, "test");
    await finishMove(instance);
    await documents.eraseOld(instance, "test");
    await finishMove(instance);
    expect(await titles("möglich ")).toEqual([]);
    const preferences = { languages: ["de", "fr"], recentAt: null };
    await runInDurableObject(env.DOCUMENTS.getByName(String(instance.id)), async (left) => {
      const asked = (left as unknown as ObjectCalls).find({ preferences } as never, {} as never);
      await expect(asked).rejects.toThrow("documents_elsewhere");
    });
    expect(await rowsIn(instance, "SELECT language FROM languages")).toEqual([]);
    await documents.move(instance, "object", "test");
    await finishMove(instance);
    await titles("möglich ");
    await runUpkeep(instance);
    expect(await titles("möglich ")).toEqual(["Wartung und Möglichkeiten"]);
  });

  it("are no other than those that are known", async () => {
    await expect(changeSettings("acme", { searchLanguages: ["xx"] })).rejects.toThrow("searchLanguages");
    await expect(changeSettings("acme", { searchLanguages: [] })).rejects.toThrow("searchLanguages");
  });

  it("leave the order alone; documents that were updated lately come first where that is asked for", async () => {
    const now = Math.floor(Date.now() / 1000);
    await pipeline.index(draft("new", { title: "Ferry timetable", updatedAt: now - 3600 }));
    await pipeline.index(draft("old", { title: "Ferry timetable", updatedAt: now - 3 * 365 * 86_400 }));
    const first = async () => (await searchAnswer(token, { query: "ferry timetable" })).results[0]?.document.id;
    expect(await first()).toBe("wiki:old");
    await changeSettings("acme", { searchPrefersRecent: true });
    expect(await first()).toBe("wiki:new");
  });
});
