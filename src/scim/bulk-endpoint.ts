import type { StoredGroup, StoredUser } from "#directories/directory.ts";
import { readJsonObject } from "#platform/http.ts";
import { BULK_BYTES_MAX, type BulkOperation, type Performed, runBulk } from "./bulk.ts";
import { type DirectoryCall, tagOf } from "./directory-call.ts";
import { readGroup, readGroupPatch } from "./group-request.ts";
import { answer, callOf, http, type ScimContext } from "./http.ts";
import { readPatch } from "./patch-request.ts";
import { locationOf } from "./resources.ts";
import { readResource } from "./user-resource.ts";

/** POST /scim/v2/Bulk (RFC 7644 §3.7) */
export const bulkEndpoint = http.createHandlers(async (c) => {
  const body = await readJsonObject(c, BULK_BYTES_MAX);
  const { issuer } = c.var.instance;
  const locationOfOne = (type: BulkOperation["type"], id: string) =>
    locationOf(issuer, type === "Users" ? "User" : "Group", id);
  return answer(await runBulk(body, (operation) => perform(c, operation), locationOfOne));
});

/** Runs one operation as its own request would; its `version` stands for `If-Match`. */
async function perform(c: ScimContext, operation: BulkOperation): Promise<Performed> {
  const call = { ...callOf(c), ifMatch: operation.version };
  const done = operation.type === "Users" ? await onUser(c, call, operation) : await onGroup(c, call, operation);
  const id = done?.id ?? operation.id ?? "";
  return {
    id,
    status: operation.method === "POST" ? 201 : done ? 200 : 204,
    ...(done && { version: tagOf(done) }),
  };
}

async function onUser(
  c: ScimContext,
  call: DirectoryCall,
  { method, id = "", data }: BulkOperation,
): Promise<StoredUser | undefined> {
  const { userProvisioning: users } = c.var.services;
  if (method === "POST") return users.create(call, readResource(data));
  if (method === "PUT") return users.replace(call, id, readResource(data));
  if (method === "PATCH") return users.patch(call, id, readPatch(data));
  await users.remove(call, id);
  return undefined;
}

async function onGroup(
  c: ScimContext,
  call: DirectoryCall,
  { method, id = "", data }: BulkOperation,
): Promise<StoredGroup | undefined> {
  const { groupProvisioning: groups } = c.var.services;
  if (method === "POST") return groups.create(call, readGroup(data));
  if (method === "PUT") return groups.replace(call, id, readGroup(data));
  if (method === "PATCH") await groups.change(call, id, readGroupPatch(readPatch(data)));
  else await groups.remove(call, id);
  return undefined;
}
