import { beforeAll, describe, expect, it } from "vitest";
import { servicesOf } from "#services.ts";
import { finishMove } from "../support/admin-calls.ts";
import { env } from "../support/isolate.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { DirectoryClient } from "../support/scim.ts";
import { makeInstance, travel } from "../support/world.ts";

let pipeline: Pipeline;
beforeAll(async () => {
  pipeline = await Pipeline.of(await makeInstance());
});

async function answerTo(...documents: readonly object[]) {
  const response = await pipeline.post("/rest/api/index/indexdocuments", { documents });
  return response.json<{ warnings?: { path: string; message: string }[]; message?: string }>();
}

const withText = (textContent: string, mimeType = "text/plain") => draft("a", { body: { mimeType, textContent } });

describe("mistakes of a pipeline", () => {
  it("are told once for all documents that nobody can see", async () => {
    const nobody = { permissions: undefined };
    const { warnings } = await answerTo(draft("a"), draft("b", nobody), draft("c", { permissions: {} }));
    expect(warnings).toEqual([
      { path: "documents[1].permissions", message: expect.stringContaining("Nobody can see 2 documents") },
    ]);
  });

  it("are told for an id that comes twice", async () => {
    const { warnings } = await answerTo(draft("a"), draft("b"), draft("a"));
    expect(warnings).toEqual([
      { path: "documents[2].id", message: expect.stringContaining("documents[0] has the same id") },
    ]);
  });

  it.each([
    ["%PDF-1.7 1 0 obj", "a PDF file"],
    ["PK\u0003\u0004\u0014 \ufffd\ufffd word/document.xml", "a ZIP file"],
    ["JVBERi0x".repeat(40), "base64"],
    [" ... -- ", "no words"],
  ])("are told for a body such as %j", async (body, what) => {
    const { warnings } = await answerTo(withText(body));
    expect(warnings).toEqual([{ path: "documents[0].body", message: expect.stringContaining(what) }]);
  });

  it.each(["application/pdf", "image/png", "application/vnd.ms-excel", " Application/ZIP "])(
    "are refused if the body is of type %s",
    async (mimeType) => {
      const { message } = await answerTo(withText("text", mimeType));
      expect(message).toMatch(/^documents\[0\]\.body\.mimeType is not acceptable: this is no text: .*npm run push/);
    },
  );

  it.each(["text/markdown", "application/json", "application/vnd.api+json", "application/xhtml+xml"])(
    "are none if the body is of type %s",
    async (mimeType) => {
      expect(await answerTo(withText("text", mimeType))).toEqual({ success: true });
    },
  );

  it("are refused by the name of the member for binary content, and for times of another unit", async () => {
    expect((await answerTo(draft("a", { body: { binaryContent: "AAAA" } }))).message).toContain(
      "documents[0].body.binaryContent is not acceptable",
    );
    for (const updatedAt of [1_764_547_200_000, "2026-01-01"]) {
      expect((await answerTo(draft("a", { updatedAt }))).message).toMatch(
        /^documents\[0\]\.updatedAt is not acceptable: expected seconds since 1970/,
      );
    }
  });
});

describe("a group that nobody describes", () => {
  const permissions = (...allowedGroups: string[]) => ({ permissions: { allowedGroups } });
  const warned = (path: string, name: string) => ({
    warnings: [{ path, message: expect.stringContaining(`has no group "${name}", and no directory has one`) }],
  });
  const send = async (of: Pipeline, call: string, body: object) =>
    (await of.post(`/rest/api/index/${call}`, body)).json();
  const pageOf = (uploadId: string, ...documents: object[]) => ({
    uploadId,
    datasource: "wiki",
    documents,
    isFirstPage: true,
    isLastPage: true,
  });

  it.each(["object", "shards:2"])("is told in every call with permissions, in the engine %s", async (engine) => {
    const instance = await makeInstance(engine.replace(":", ""));
    if (engine !== "object") {
      await servicesOf(env).administrationOf(instance, "test").documents.move(engine);
      await finishMove(instance);
    }
    const own = await Pipeline.of(instance, undefined, `http://${instance.name}.localhost`);
    // Where nobody describes groups, they may all come from the SSO.
    expect(await send(own, "indexdocument", { document: draft("a", permissions("team")) })).toEqual({ success: true });
    await send(own, "indexgroup", { datasource: "wiki", group: { name: "team" } });
    travel(31);
    const answers = {
      one: await send(own, "indexdocument", { document: draft("a", permissions("team", "Taem")) }),
      some: await send(own, "indexdocuments", { documents: [draft("b"), draft("a", permissions("taem"))] }),
      page: await send(own, "bulkindexdocuments", pageOf("u", draft("b"), draft("a", permissions("taem", "team")))),
      new: await send(own, "updatepermissions", { datasource: "wiki", id: "a", ...permissions("taem") }),
    };
    expect(answers).toMatchObject({
      one: warned("document.permissions", "taem"),
      some: warned("documents[1].permissions", "taem"),
      page: warned("documents[1].permissions", "taem"),
      new: warned("permissions", "taem"),
    });
    await send(own, "indexgroup", { datasource: "wiki", group: { name: "taem" } });
    travel(31);
    expect(await send(own, "indexdocument", { document: draft("a", permissions("taem")) })).toEqual({ success: true });
  });

  it("is none that a directory provisions", async () => {
    const origin = "http://provisioned.localhost";
    const instance = await makeInstance("provisioned");
    await (await DirectoryClient.of(instance, "okta", origin)).addGroup("Board");
    const own = await Pipeline.of(instance, undefined, origin);
    const answer = await send(own, "indexdocument", { document: draft("a", permissions("board", "baord")) });
    expect(answer).toMatchObject(warned("document.permissions", "baord"));
    expect((answer as { warnings: unknown[] }).warnings).toHaveLength(1);
  });
});
