import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { rowsIn } from "../support/documents.ts";
import { Directory } from "../support/directory.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeInstance } from "../support/world.ts";

const ONLY = { isFirstPage: true, isLastPage: true };

let instance: InstanceRecord;
let pipeline: Pipeline;
let datasources = 0;

beforeAll(async () => {
  instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
});

/** Returns a datasource for one test. */
function source(): Directory {
  datasources += 1;
  return new Directory(pipeline, `source${datasources}`);
}

async function upload(call: string, { datasource }: Directory, page: object): Promise<Record<string, unknown>> {
  const response = await pipeline.post(`/api/index/v1/${call}`, { uploadId: "u", datasource, ...page });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

async function refusal(call: string, { datasource }: Directory, page: object): Promise<[number, string]> {
  const response = await pipeline.post(`/api/index/v1/${call}`, { uploadId: "u", datasource, ...page });
  return [response.status, (await readRefusal(response)).error];
}

/** Indexes a document that a group may see, and returns who of these people sees it. */
async function readersOf(directory: Directory, group: string, ...people: string[]): Promise<string[]> {
  const id = `of-${group}`;
  await pipeline.index(draft(id, { datasource: directory.datasource, permissions: { allowedGroups: [group] } }));
  const readers: string[] = [];
  for (const name of people) if (await directory.hasAccess(id, `${name}@acme.example`)) readers.push(name);
  return readers;
}

async function usersOf({ datasource }: Directory): Promise<string[]> {
  const statement = "SELECT user_id FROM datasource_users WHERE datasource = ?1 ORDER BY user_id";
  return (await rowsIn<{ user_id: string }>(instance, statement, datasource)).map((row) => row.user_id);
}

describe("bulkindexusers", () => {
  it("makes the upload's users those of the datasource, and removes others with their memberships", async () => {
    const wiki = source();
    await wiki.user("old", "ben@acme.example");
    await wiki.user("stays", "carla@acme.example");
    await wiki.group("writers", ["old", "stays", "new"]);
    expect(await readersOf(wiki, "writers", "ben", "carla", "farid")).toEqual(["ben", "carla"]);
    await upload("bulkindexusers", wiki, {
      isFirstPage: true,
      users: [{ userId: "stays", email: "carla@acme.example", name: "Carla" }],
    });
    expect(await usersOf(wiki)).toEqual(["old", "stays"]);
    const done = await upload("bulkindexusers", wiki, {
      isLastPage: true,
      users: [{ userId: "new", email: "farid@acme.example", isActive: true }],
    });
    expect(done).toEqual({ success: true, uploadId: "u", status: "done", received: 2, removed: 1 });
    expect(await usersOf(wiki)).toEqual(["new", "stays"]);
    expect(await readersOf(wiki, "writers", "ben", "carla", "farid")).toEqual(["carla", "farid"]);
  });

  it("keeps single deletions and changes that were made meanwhile", async () => {
    const wiki = source();
    await wiki.user("gone", "ben@acme.example");
    await wiki.user("silent", "carla@acme.example");
    await upload("bulkindexusers", wiki, { isFirstPage: true, users: [] });
    await wiki.act("deleteuser", { userId: "gone" });
    await wiki.user("silent", "carla@acme.example", false);
    const users = [
      { userId: "gone", email: "ben@acme.example" },
      { userId: "silent", email: "carla@acme.example", isActive: true },
    ];
    await upload("bulkindexusers", wiki, { isLastPage: true, users });
    const rows = await rowsIn(
      instance,
      "SELECT user_id, is_active FROM datasource_users WHERE datasource = ?1",
      wiki.datasource,
    );
    expect(rows).toEqual([{ user_id: "silent", is_active: 0 }]);
  });
});

describe("bulkindexgroups", () => {
  it("makes the upload's groups those of the datasource, and removes others with their members", async () => {
    const wiki = source();
    await wiki.group("old", ["ben@acme.example"]);
    await wiki.group("stays", ["carla@acme.example"]);
    expect(await readersOf(wiki, "old", "ben")).toEqual(["ben"]);
    const done = await upload("bulkindexgroups", wiki, { ...ONLY, groups: [{ name: "Stays" }, { name: "new" }] });
    expect(done).toMatchObject({ status: "done", received: 2, removed: 1 });
    expect(await readersOf(wiki, "old", "ben")).toEqual([]);
    expect(await readersOf(wiki, "stays", "carla")).toEqual(["carla"]);
  });
});

describe("bulkindexmemberships", () => {
  it("makes the upload's members those of the group, and leaves other groups alone", async () => {
    const wiki = source();
    await wiki.group("team", ["ben@acme.example"]);
    await wiki.group("other", ["ben@acme.example"]);
    const memberships = [{ memberUserId: "carla@acme.example" }, { memberGroupName: "other" }];
    const done = await upload("bulkindexmemberships", wiki, { ...ONLY, group: "Team", memberships });
    expect(done).toMatchObject({ status: "done", received: 2, removed: 1 });
    expect(await readersOf(wiki, "team", "ben", "carla", "farid")).toEqual(["ben", "carla"]);
    await upload("bulkindexmemberships", wiki, { ...ONLY, group: "team", memberships: memberships.slice(0, 1) });
    expect(await readersOf(wiki, "team", "ben", "carla")).toEqual(["carla"]);
    expect(await readersOf(wiki, "other", "ben", "carla")).toEqual(["ben"]);
  });

  it("responds 404 for a group that is not described, and describes nothing", async () => {
    const wiki = source();
    const page = { ...ONLY, group: "unheard-of", memberships: [{ memberUserId: "ben@acme.example" }] };
    expect(await refusal("bulkindexmemberships", wiki, page)).toEqual([404, "not_found"]);
  });

  it("brings back no member who was removed meanwhile", async () => {
    const wiki = source();
    await wiki.group("team", ["ben@acme.example", "carla@acme.example"]);
    await upload("bulkindexmemberships", wiki, { isFirstPage: true, group: "team", memberships: [] });
    await wiki.act("deletemembership", { membership: { groupName: "team", memberUserId: "ben@acme.example" } });
    await wiki.act("deleteuser", { userId: "carla@acme.example" });
    const memberships = [{ memberUserId: "ben@acme.example" }, { memberUserId: "carla@acme.example" }];
    await upload("bulkindexmemberships", wiki, { isLastPage: true, group: "team", memberships });
    expect(await readersOf(wiki, "team", "ben", "carla")).toEqual([]);
  });

  it("may receive uploads for two groups at the same time", async () => {
    const wiki = source();
    for (const group of ["one", "two"]) await wiki.group(group);
    for (const group of ["one", "two"]) {
      await upload("bulkindexmemberships", wiki, { isFirstPage: true, group, memberships: [] });
    }
    const page = { isFirstPage: true, group: "one", memberships: [{ memberUserId: "ben@acme.example" }] };
    expect(await refusal("bulkindexmemberships", wiki, page)).toEqual([409, "conflict"]);
  });
});

describe("unknown members of requests", () => {
  it.each([
    ["updatepermissions", { id: "a", permissions: { allowedUser: [] } }, "permissions.allowedUser"],
    ["updatepermissions", { id: "a", permissions: { allowedUsers: [{ mail: "a@b" }] } }, "permissions.allowedUsers[0]"],
    ["indexuser", { user: { email: "a@b", isactive: false } }, "user.isactive"],
    ["indexmembership", { membership: { groupName: "x", memberUserID: "a" } }, "membership"],
    ["deletedocument", { id: "a", docId: "b" }, "docId"],
    ["bulkindexusers", { uploadId: "u", isLastpage: true, users: [] }, "isLastpage"],
    ["getdocumentcount", { datasources: [] }, "datasources"],
  ])("are refused by name: %s %j", async (call, body, member) => {
    const response = await pipeline.post(`/api/index/v1/${call}`, { datasource: "wiki", ...body });
    const { message } = await readRefusal(response);
    expect([response.status, message.startsWith(member)]).toEqual([400, true]);
  });

  it("are refused in a document's permissions, because a typo would hide the document silently", async () => {
    const document = draft("typo", { permissions: { allowAnonymousacces: true } });
    const response = await pipeline.post("/api/index/v1/indexdocument", { document });
    const { message } = await readRefusal(response);
    expect([response.status, message.split(" ")[0]]).toEqual([400, "document.permissions.allowAnonymousacces"]);
  });

  it("that clients of this API family send without being used are accepted with warnings", async () => {
    const document = draft("more", {
      container: "space",
      status: "final",
      author: { email: "ada@acme.example", datasourceUserId: "7" },
    });
    const response = await pipeline.post("/api/index/v1/indexdocuments", { uploadId: "u", documents: [document] });
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        success: true,
        warnings: [
          { path: "uploadId", message: expect.any(String) },
          { path: "documents[0].container", message: expect.any(String) },
          { path: "documents[0].status", message: expect.any(String) },
          { path: "documents[0].author.datasourceUserId", message: expect.any(String) },
        ],
      },
    ]);
  });
});

describe("getdocumentstatus, getdatasourceconfig, processallmemberships", () => {
  it("respond as clients of this API family expect", async () => {
    const call = async (name: string, body: object) => {
      const response = await pipeline.post(`/api/index/v1/${name}`, body);
      return [response.status, await response.json()];
    };
    await pipeline.index(draft("here"));
    expect(await call("getdocumentstatus", { datasource: "wiki", objectType: "Document", docId: "here" })).toEqual([
      200,
      {
        uploadStatus: "UPLOADED",
        lastUploadedAt: expect.any(Number),
        indexingStatus: "INDEXED",
        lastIndexedAt: expect.any(Number),
      },
    ]);
    expect(await call("getdocumentstatus", { datasource: "wiki", docId: "nowhere" })).toEqual([
      200,
      { uploadStatus: "NOT_UPLOADED", indexingStatus: "NOT_INDEXED" },
    ]);
    expect(await call("getdatasourceconfig", { datasource: "Wiki" })).toMatchObject([200, { name: "wiki" }]);
    expect(await call("processallmemberships", {})).toEqual([200, { success: true }]);
    const stranger = await Pipeline.of(instance, "documents:elsewhere");
    for (const name of ["getdocumentstatus", "getdatasourceconfig", "processallmemberships"]) {
      const response = await stranger.post(`/api/index/v1/${name}`, { datasource: "wiki", docId: "here" });
      expect([name, response.status]).toEqual([name, 401]);
    }
  });

  it("read HTML bodies as text", async () => {
    const textContent = "<p>The <b>whin</b>chat &amp; the stone&#99;hat</p><script>redstart()</script>";
    await pipeline.index(draft("html", { body: { mimeType: "text/html; charset=utf-8", textContent } }));
    const [row] = await rowsIn(instance, "SELECT body FROM documents WHERE external_id = 'html'");
    expect(row).toEqual({ body: "The whinchat & the stonechat" });
  });

  it("read Markdown as text, and say what isn't found of a text, or not seen", async () => {
    const markdown = { mimeType: "text/markdown", textContent: "# Birds\n**whinchat**<p hidden>redstart</p>" };
    const long = { mimeType: "text/plain", textContent: "bird ".repeat(40_001) };
    const documents = [
      draft("md", { body: markdown, summary: markdown }),
      draft("long", { title: "Long", body: long }),
    ];
    const response = await pipeline.post("/api/index/v1/indexdocuments", { documents });
    expect(await response.json()).toEqual({
      success: true,
      warnings: [
        { path: "documents[0].body", message: "8 characters that readers of the page can't see were left out" },
        { path: "documents[0].summary", message: "8 characters that readers of the page can't see were left out" },
        {
          path: "documents[1].body",
          message: "Search doesn't find the last 9 characters: split the document into chapters",
        },
      ],
    });
    const [row] = await rowsIn(instance, "SELECT body FROM documents WHERE external_id = 'md'");
    expect(row).toEqual({ body: "Birds\nwhinchat" });
  });
});
