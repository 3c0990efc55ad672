import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { draft, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { changeSettings, makeInstance, travel } from "../support/world.ts";

const PTO = { term: "PTO", meaning: "paid time off", isTwoWay: true, language: null } as const;
const text = (textContent: string) => ({ mimeType: "text/plain", textContent });

describe("the glossary of an instance", () => {
  let token: string;
  let instance: Awaited<ReturnType<typeof makeInstance>>;

  beforeAll(async () => {
    instance = await makeInstance();
    const pipeline = await Pipeline.of(instance);
    await pipeline.index(draft("leave", { title: "Holidays", body: text("You get paid time off.") }));
    await pipeline.index(draft("bills", { title: "Time off peak", body: text("Bills are paid in time.") }));
    await pipeline.index(draft("cluster", { title: "Kubernetes" }));
    token = (await (await AppClient.registered()).tokens("ben")).access_token;
    await changeSettings("acme", { searchUsesCommonTerms: false });
  });

  const titles = async (query: string) =>
    (await searchAnswer(token, { query })).results.map(({ title }: { title: string }) => title);

  it("is used by the next search", async () => {
    expect(await titles("PTO ")).toEqual([]);
    await env.DB.prepare("INSERT INTO glossaries (instance_id, entries, changed_at) VALUES (?1, ?2, 1)")
      .bind(instance.id, JSON.stringify([PTO]))
      .run();
    travel(11);
    expect(await titles("PTO ")).toEqual(["Holidays"]);
  });

  it("is joined by what everybody calls things, unless that is switched off", async () => {
    expect(await titles("k8s ")).toEqual([]);
    await changeSettings("acme", { searchUsesCommonTerms: true });
    expect(await titles("k8s ")).toEqual(["Kubernetes"]);
  });
});
