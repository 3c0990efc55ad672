import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { ANNOUNCED } from "../support/test-issuer.ts";
import { issueIndexingToken, makeInstance, send } from "../support/world.ts";

const REFUSED = "An indexing token has exactly one scope custommetadata:global_scope or custommetadata:<group>";

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

describe("a token for Custom Metadata", () => {
  it.each([
    [],
    ["custommetadata:hr", "custommetadata:finance"],
    ["custommetadata:global_scope", "custommetadata:hr"],
    ["custommetadata:hr", "documents:wiki"],
    ["custommetadata:hr", "SEARCH"],
    ["custommetadata:"],
    ["custommetadata"],
    ["custommetadata:hr finance"],
  ])(
    "has exactly one scope, custommetadata:global_scope or custommetadata:<group>, so it is not issued with %j",
    async (...scopes) => {
      await expect(issueIndexingToken(instance, ...scopes)).rejects.toThrow(REFUSED);
    },
  );

  it("covers the group in its scope and no other, whose schema and values get 401", async () => {
    const all = await MetadataPipeline.of(instance);
    await all.index("a");
    for (const group of ["hr", "finance"]) await all.describe(group, [{ name: "status", propertyType: "TEXT" }]);
    const ofHr = await MetadataPipeline.of(instance, "custommetadata:hr");
    const customMetadata = [{ name: "status", value: "open" }];
    for (const [pipeline, group, status] of [
      [ofHr, "hr", 200],
      [ofHr, "finance", 401],
      [all, "finance", 200],
    ] as const) {
      const responses = [
        await pipeline.schema("GET", group),
        await pipeline.values("PUT", "wiki:a", group, { customMetadata }),
        await pipeline.values("DELETE", "wiki:a", group),
      ];
      expect(responses.map((response) => response.status)).toEqual([status, status, status]);
    }
  });

  it("is never an OAuth token, with the header or without", async () => {
    const { access_token } = await (await AppClient.registered()).tokens();
    for (const header of [{}, ANNOUNCED]) {
      const headers = { Authorization: `Bearer ${access_token}`, ...header };
      const response = await send("/rest/api/index/custom-metadata/schema/hr", { headers });
      expect([response.status, (await readRefusal(response)).error]).toEqual([401, "invalid_token"]);
    }
  });
});
