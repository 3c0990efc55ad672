import type { GlossaryActs } from "#administration/glossary-acts.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { draft, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { changeSettings, makeInstance } from "../support/world.ts";

const PTO = { term: "PTO", meaning: "paid time off", isTwoWay: true, language: null } as const;
const text = (textContent: string) => ({ mimeType: "text/plain", textContent });

describe("the glossary of an instance", () => {
  let token: string;
  let instance: Awaited<ReturnType<typeof makeInstance>>;
  let glossary: GlossaryActs;

  beforeAll(async () => {
    instance = await makeInstance();
    ({ glossary } = servicesOf(env).administrationOf(instance, "test"));
    const pipeline = await Pipeline.of(instance);
    await pipeline.index(draft("leave", { title: "Holidays", body: text("You get paid time off.") }));
    await pipeline.index(draft("bills", { title: "Time off peak", body: text("Bills are paid in time.") }));
    await pipeline.index(draft("cluster", { title: "Kubernetes" }));
    token = (await (await AppClient.registered()).tokens("ben")).access_token;
    await changeSettings("acme", { searchUsesCommonTerms: false });
  });

  const titles = async (query: string) =>
    (await searchAnswer(token, { query })).results.map(({ title }: { title: string }) => title);

  it("is used by the next search, and no longer once an entry is removed", async () => {
    expect(await titles("PTO ")).toEqual([]);
    expect(await glossary.replace([PTO])).toBe(true);
    expect(await titles("PTO ")).toEqual(["Holidays"]);
    expect(await glossary.replace([])).toBe(true);
    expect(await titles("PTO ")).toEqual([]);
  });

  it("changes nothing if it is the same, and is not overwritten by somebody who saw another", async () => {
    await glossary.replace([PTO]);
    expect(await glossary.replace([PTO])).toBe(false);
    const late = glossary.replace([], async () => {
      await glossary.replace([{ ...PTO, meaning: "leave" }]);
    });
    await expect(late).rejects.toThrow("Somebody else changed the glossary");
  });

  it("is joined by what everybody calls things, unless that is switched off", async () => {
    expect(await titles("k8s ")).toEqual([]);
    await changeSettings("acme", { searchUsesCommonTerms: true });
    expect(await titles("k8s ")).toEqual(["Kubernetes"]);
  });
});
