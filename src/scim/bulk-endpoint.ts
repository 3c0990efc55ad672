import { StorageUnavailable } from "#platform/d1.ts";
import { readJsonObject } from "#platform/http.ts";
import { describeError, log } from "#platform/log.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { ApiError } from "#protocol/errors.ts";
import { BULK_BYTES_MAX, type BulkOperation, type Performed, runBulk } from "./bulk.ts";
import { type Change, CHANGES } from "./user-provisioning.ts";
import { type DirectoryCall, tagOf } from "./directory-call.ts";
import { answer, callOf, type ScimContext } from "./http.ts";
import { locationOf } from "./resources.ts";

/** POST /scim/v2/Bulk (RFC 7644 §3.7) */
export async function bulkEndpoint(c: ScimContext): Promise<Response> {
  const body = await readJsonObject(c, BULK_BYTES_MAX);
  const { frame, instance, tokenId } = c.var;
  const call = callOf(c);
  const locationOfOne = (type: BulkOperation["type"], id: string) =>
    locationOf(instance.issuer, type === "Users" ? "User" : "Group", id);
  let isFirst = true;
  const performCounted = async (operation: BulkOperation) => {
    // The gate has counted the request, which covers the first operation.
    if (!isFirst) await requireWithinRate(c, "scim", { token: tokenId });
    isFirst = false;
    return perform({ ...call, ifMatch: operation.version }, operation, frame.requestId);
  };
  return answer(await runBulk(body, performCounted, locationOfOne));
}

/** Runs one operation like a request. The operation's `version` is the `If-Match` of its call. */
async function perform(call: DirectoryCall, operation: BulkOperation, requestId: string): Promise<Performed> {
  const change: Change = CHANGES[operation.type][operation.method];
  const done = await change(call, operation.id ?? "", operation.data).catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error;
    // The caller has to learn which operations succeeded, so that it repeats only the others.
    const reason = "storage_unavailable";
    log({ level: "error", event: "refused", requestId, reason, detail: describeError(error) });
    throw new ApiError("temporarily_unavailable", { reason, cause: error });
  });
  const id = done?.id ?? operation.id ?? "";
  return {
    id,
    status: operation.method === "POST" ? 201 : done ? 200 : 204,
    ...(done && { version: tagOf(done) }),
  };
}
