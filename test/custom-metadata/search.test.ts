import type { InstanceRecord } from "#instance/instances.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { runUpkeep } from "../support/documents.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { found, searchAnswer } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

const HR = [
  { name: "Status", propertyType: "PICKLIST" },
  { name: "Note", propertyType: "TEXT" },
];

let instance: InstanceRecord;
let pipeline: MetadataPipeline;
let reader: string;
let instances = 0;

beforeEach(async () => {
  instances += 1;
  instance = await makeInstance(`searched${instances}`);
  pipeline = await MetadataPipeline.of(instance);
  reader = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  await pipeline.describe("hr", HR);
  await pipeline.index("a", { title: "Marsh" });
  await pipeline.index("b", { title: "Marsh" });
  await pipeline.attach("wiki:a", "hr", { status: "Approved", note: "heron colony" });
});

const finds = (query: string) => found(reader, query, pipeline.origin);

async function customData(query: string): Promise<unknown> {
  const { results } = await searchAnswer(reader, { query }, pipeline.origin);
  return (results[0]?.document as { metadata?: { customData?: unknown } } | undefined)?.metadata?.customData;
}

describe("search by custom metadata", () => {
  it("finds documents by words, whole values and both, and shows the values", async () => {
    expect(await finds("hrstatus:approved")).toEqual(["a"]);
    expect(await finds("marsh hrstatus:approved")).toEqual(["a"]);
    expect(await finds("marsh HRNote:COLONY")).toEqual(["a"]);
    expect(await finds("heron")).toEqual(["a"]);
    expect(await customData("hrstatus:approved")).toEqual({
      hrStatus: { stringValue: "Approved" },
      hrNote: { stringValue: "heron colony" },
    });
  });

  it("follows new values immediately, and values outlast a re-indexing of the document", async () => {
    await pipeline.attach("wiki:a", "hr", { status: "Rejected" });
    expect([await finds("hrstatus:approved"), await finds("heron"), await finds("hrnote:heron")]).toEqual([[], [], []]);
    await pipeline.index("a", { title: "Meadow" });
    expect(await finds("meadow hrstatus:rejected")).toEqual(["a"]);
    await pipeline.values("DELETE", "wiki:a", "hr");
    expect([await finds("hrstatus:rejected"), await customData("meadow")]).toEqual([[], undefined]);
  });

  it("has no operator and shows no value of a removed key or group, and finds none of its words after the clean-up", async () => {
    await pipeline.describe("hr", HR.slice(1));
    // What is not an operator counts as words, of which documents may have some.
    expect(await finds("marsh hrstatus:approved")).toEqual(["a", "b"]);
    expect(await customData("hrnote:heron")).toEqual({ hrNote: { stringValue: "heron colony" } });
    await pipeline.schema("DELETE", "hr");
    expect(await finds("marsh hrnote:heron")).toEqual(["a", "b"]);
    expect(await customData("marsh heron")).toBeUndefined();
    await runUpkeep(instance);
    expect([await finds("heron"), await finds("approved"), await finds("marsh")]).toEqual([[], [], ["a", "b"]]);
  });

  it("finds none of the old values when a group is created again", async () => {
    await pipeline.schema("DELETE", "hr");
    await pipeline.describe("hr", HR);
    // Until a document has a value, the name is text, like one that doesn't exist.
    expect(await finds("marsh hrstatus:approved")).toEqual(["a", "b"]);
    await runUpkeep(instance);
    expect([await finds("hrstatus:approved"), await finds("hrnote:heron")]).toEqual([[], []]);
    await pipeline.attach("wiki:b", "hr", { status: "Approved" });
    expect(await finds("hrstatus:approved")).toEqual(["b"]);
  });

  it("separates the same group of two instances", async () => {
    const other = await MetadataPipeline.of(await makeInstance(`apart${instances}`));
    await other.describe("hr", HR);
    await other.index("c");
    await other.attach("wiki:c", "hr", { status: "Approved", note: "heron colony" });
    expect([await finds("hrstatus:approved"), await finds("heron")]).toEqual([["a"], ["a"]]);
  });
});
