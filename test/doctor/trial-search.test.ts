import { servicesOf } from "#services.ts";
import { trySearch } from "#doctor/trial-search.ts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { InstanceRecord } from "#instance/instances.ts";
import { env } from "../support/isolate.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeInstance } from "../support/world.ts";

describe("the doctor's search", () => {
  let instance: InstanceRecord;
  const documents = () => servicesOf(env).documents;
  const tried = async () => trySearch(documents(), instance.id, await documents().stats(instance.id));

  beforeAll(async () => {
    instance = await makeInstance("trial");
  });

  it("is made as somebody who finds a document, and fails if searches do", async () => {
    expect(await tried()).toBe(null);
    const pipeline = await Pipeline.of(instance, undefined, "http://trial.localhost");
    const permissions = { allowedGroups: ["finance"] };
    await pipeline.post("/api/index/v1/indexdocuments", { documents: [draft("d1", { permissions })] });
    const find = vi.spyOn(documents(), "find");
    try {
      expect(await tried()).toBe(true);
      const page = (await find.mock.results[0]?.value) as Awaited<ReturnType<ReturnType<typeof documents>["find"]>>;
      expect(page.documents.map(({ externalId }) => externalId)).toEqual(["d1"]);
      find.mockRejectedValue(new Error("no such table: term_vectors"));
      expect(await tried()).toBe(false);
    } finally {
      find.mockRestore();
    }
  });
});
