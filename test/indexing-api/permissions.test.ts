import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { Directory } from "../support/directory.ts";
import { rowsIn } from "../support/documents.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { issueClientApiToken, makeInstance, setDeactivated } from "../support/world.ts";

const BASES = ["/api/index/v1", "/rest/api/index"] as const;
const BEN_ONLY = { allowedUsers: [{ email: "ben@acme.example" }] };

let instance: InstanceRecord;
let pipeline: Pipeline;
let wiki: Directory;
let ben: string;

beforeAll(async () => {
  instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
  wiki = new Directory(pipeline);
  ben = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

async function stored(): Promise<string> {
  const tables = ["documents", "principals", "intersection_groups", "access_classes"].map((table) =>
    rowsIn(instance, `SELECT * FROM ${table}`),
  );
  return JSON.stringify(await Promise.all(tables));
}

describe("updatepermissions", () => {
  it.each(BASES)("takes effect with the next search, and changes nothing else of the document: %s", async (base) => {
    const id = `moved${BASES.indexOf(base)}`;
    await pipeline.index(draft(id, { title: `Whimbrel ${id}`, body: { textContent: "estuary" }, tags: ["wader"] }));
    const update = (permissions: unknown) =>
      pipeline.post(`${base}/updatepermissions`, { datasource: "Wiki", objectType: "Document", id, permissions });
    for (const [permissions, ids] of [
      [{}, []],
      [BEN_ONLY, [id]],
      [{ allowedGroups: ["nobodys"] }, []],
      [{ allowAnonymousAccess: true }, [id]],
    ] as const) {
      const response = await update(permissions);
      expect([response.status, await response.json()]).toEqual([200, { success: true }]);
      expect(await found(ben, `"${id}"`)).toEqual(ids);
    }
  });

  it("writes nothing of the document's row except its class", async () => {
    await pipeline.index(draft("row"));
    const row = () =>
      rowsIn(
        instance,
        `SELECT d.id, d.title, d.body, d.tags, f.words FROM documents d JOIN term_vectors f USING (id)
         WHERE external_id = 'row'`,
      );
    const before = await row();
    await wiki.permissions("row", BEN_ONLY);
    expect(await row()).toEqual(before);
  });

  it("responds 404 for a document that nobody has indexed, and changes nothing", async () => {
    const before = await stored();
    const body = { datasource: "wiki", id: "unheard-of", permissions: { allowedGroups: ["brand-new"] } };
    const response = await pipeline.post("/api/index/v1/updatepermissions", body);
    const { error, message } = await readRefusal(response);
    expect([response.status, error]).toEqual([404, "not_found"]);
    expect(message).toContain("unheard-of");
    expect(await stored()).toBe(before);
  });

  it.each([
    [undefined, "permissions"],
    [{ allowedUsers: [{ email: "x" }] }, "permissions.allowedUsers[0].email"],
    [
      { allowedGroupIntersections: [{ requiredGroups: [] }] },
      "permissions.allowedGroupIntersections[0].requiredGroups",
    ],
    [
      { allowedUsers: Array.from({ length: 40_000 }, (_, at) => ({ email: `person-${at}@acme.example` })) },
      "permissions",
    ],
    [
      {
        allowedGroupIntersections: Array.from({ length: 501 }, (_, at) => ({
          requiredGroups: ["staff", `team-${at}`],
        })),
      },
      "permissions.allowedGroupIntersections",
    ],
  ])(
    "responds 400 for permissions that can't be understood or stored, and changes nothing: %#",
    async (permissions, member) => {
      await pipeline.index(draft("kept", { title: "Turnstone" }));
      const before = await stored();
      const response = await pipeline.post("/api/index/v1/updatepermissions", {
        datasource: "wiki",
        id: "kept",
        permissions,
      });
      expect([response.status, (await readRefusal(response)).message.split(" ")[0]]).toEqual([400, member]);
      expect(await stored()).toBe(before);
      expect(await found(ben, "turnstone")).toEqual(["kept"]);
    },
  );

  it("works for a document of any size, because permissions are not part of its row", async () => {
    await pipeline.index(draft("full", { body: { textContent: "x".repeat(1_000_000) }, summary: "y".repeat(350_000) }));
    const allowedUsers = Array.from({ length: 8000 }, (_, at) => ({ email: `somebody-else-${at}@acme.example` }));
    await wiki.permissions("full", { allowedUsers });
    expect(await wiki.hasAccess("full", "carla@acme.example")).toBe(false);
    expect(await wiki.hasAccess("full", "somebody-else-7999@acme.example")).toBe(true);
  });

  it("responds 401 without coverage, whether or not there is such a document", async () => {
    const stranger = await Pipeline.of(instance, "documents:elsewhere");
    for (const id of ["row", "unheard-of"]) {
      for (const [call, body] of [
        ["updatepermissions", { id, permissions: {} }],
        ["checkdocumentaccess", { docId: id, userEmail: "ben@acme.example" }],
        ["deletedocument", { objectType: "Document", id }],
        ["getdocumentcount", {}],
      ] as const) {
        const response = await stranger.post(`/api/index/v1/${call}`, { datasource: "wiki", ...body });
        expect([call, response.status, (await readRefusal(response)).error]).toEqual([call, 401, "invalid_token"]);
      }
    }
  });
});

describe("checkdocumentaccess", () => {
  it("says what the person's search would show, regardless of the case of email and datasource", async () => {
    await pipeline.index(draft("asked", { permissions: BEN_ONLY }));
    const ask = async (changes: object) => {
      const body = {
        datasource: "WIKI",
        objectType: "Document",
        docId: "asked",
        userEmail: "Ben@Acme.Example",
        ...changes,
      };
      const response = await pipeline.post("/rest/api/index/checkdocumentaccess", body);
      return [response.status, await response.json()];
    };
    expect(await ask({})).toEqual([200, { hasAccess: true }]);
    expect(await ask({ userEmail: "carla@acme.example" })).toEqual([200, { hasAccess: false }]);
    expect(await ask({ docId: "unheard-of" })).toMatchObject([404, { error: "not_found" }]);
  });

  it("says for somebody who has never signed in what they will find when they do", async () => {
    await pipeline.index(
      draft("open"),
      draft("early", { permissions: { allowedUsers: [{ email: "newcomer@acme.example" }] } }),
      draft("grouped", { permissions: { allowedGroups: ["welcome"] } }),
      draft("closed", { permissions: {} }),
    );
    await wiki.group("welcome", ["newcomer@acme.example"]);
    const ids = ["open", "early", "grouped", "closed"];
    const told = await Promise.all(ids.map((id) => wiki.hasAccess(id, "newcomer@acme.example")));
    expect(told).toEqual([true, true, true, false]);
    const token = await issueClientApiToken(instance, "newcomer@acme.example", "SEARCH");
    const seen = await Promise.all(ids.map(async (id) => (await found(token, id)).includes(id)));
    expect(seen).toEqual(told);
  });

  it("says no for somebody who is deactivated", async () => {
    await pipeline.index(draft("for-all"));
    await setDeactivated(instance, "gone@acme.example");
    expect(await wiki.hasAccess("for-all", "gone@acme.example")).toBe(false);
    await setDeactivated(instance, "gone@acme.example", false);
    expect(await wiki.hasAccess("for-all", "gone@acme.example")).toBe(true);
  });
});

describe("deletedocument and getdocumentcount", () => {
  it("remove and count one datasource's documents, whatever their type, however often they are called", async () => {
    const archive = new Directory(pipeline, "archive");
    const count = async () => {
      const response = await pipeline.post("/api/index/v1/getdocumentcount", { datasource: "Archive" });
      return response.json();
    };
    expect(await count()).toEqual({ documentCount: 0 });
    await pipeline.index(
      draft("one", { datasource: "archive", title: "Ruff one" }),
      draft("two", { datasource: "Archive", title: "Ruff two" }),
      draft("one", { title: "Ruff of the wiki" }),
    );
    expect(await count()).toEqual({ documentCount: 2 });
    for (let time = 0; time < 2; time += 1) await archive.act("deletedocument", { objectType: "Page", id: "one" });
    expect(await count()).toEqual({ documentCount: 1 });
    expect(await found(ben, "ruff")).toEqual(["one", "two"]);
    expect(await found(ben, '"ruff one"')).toEqual([]);
  });

  it("remove a document's custom metadata with it", async () => {
    const metadata = await MetadataPipeline.of(instance);
    await metadata.describe("labels", [{ name: "colour", propertyType: "TEXT" }]);
    await pipeline.index(draft("labelled"));
    await metadata.attach("wiki:labelled", "labels", { colour: "teal" });
    await pipeline.index(draft("labelled", { title: "again" }));
    expect(await found(ben, "teal")).toEqual(["labelled"]);
    await wiki.act("deletedocument", { id: "labelled" });
    expect(await rowsIn(instance, "SELECT * FROM document_metadata")).toEqual([]);
    await pipeline.index(draft("labelled"));
    expect(await found(ben, "teal")).toEqual([]);
  });
});
