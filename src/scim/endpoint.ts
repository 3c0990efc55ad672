import type { StoredGroup, StoredUser } from "#directories/directory.ts";
import { noStore, readJsonObject, readQuery, type RequestContext } from "#platform/http.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { HonoBase } from "hono/hono-base";
import { bulkEndpoint } from "./bulk-endpoint.ts";
import { CHANGES, findUser } from "./user-provisioning.ts";
import { lists, requireFound, tagOf } from "./directory-call.ts";
import { resourceTypes, schemas, serviceProviderConfig } from "./discovery.ts";
import { type ScimEnv, scimGate } from "./gate-middleware.ts";
import { findGroup, membersOf } from "./group-provisioning.ts";
import { answer, callOf, type ScimContext, type ScimServices } from "./http.ts";
import { type ScimResource, toGroupAnswer, toUserAnswer } from "./resources.ts";
import { readPartAsked, toListAnswer } from "./list-request.ts";
import { selectorOf } from "./requested-attributes.ts";
import { SCIM_ERROR_SCHEMA } from "./scim-error.ts";

/** Maximum size of a request: some thousand members of a group. */
const BODY_BYTES_MAX = 1024 * 1024;

export const scimApi = new HonoBase<ScimEnv<ScimServices>>({ router: new LiteralFirstRouter() });

scimApi.use(scimGate, noStore);

scimApi.get("/ServiceProviderConfig", (c) => answerDescription(c, serviceProviderConfig(c.var.instance.issuer)));
for (const [path, list] of [
  ["/ResourceTypes", resourceTypes],
  ["/Schemas", schemas],
] as const) {
  scimApi.get(path, (c) => {
    const all = list(c.var.instance.issuer);
    return answerDescription(c, toListAnswer(all, all.length, 1));
  });
  scimApi.get(`${path}/:id`, async (c) => {
    const id = c.req.param("id") ?? "";
    const found = list(c.var.instance.issuer).find((each) => each["id"] === id) ?? null;
    return answerDescription(c, await requireFound(found, id));
  });
}

scimApi.get("/Users", async (c) => {
  const part = readPartAsked(readQuery(c));
  const { users, directory } = callOf(c);
  const { items, total } = await users.list(directory, part);
  const { issuer } = c.var.instance;
  const wanted = wantedOf(c);
  const listed = items.map((user) => wanted(toUserAnswer(user, issuer)));
  return answer(toListAnswer(listed, total, part.startIndex));
});
scimApi.get("/Users/:id", async (c) => answerUser(c, await findUser(callOf(c), idOf(c))));
scimApi.post("/Users", async (c) => answerUser(c, await CHANGES.Users.POST(callOf(c), "", await dataOf(c)), 201));
scimApi.put("/Users/:id", async (c) => answerUser(c, await CHANGES.Users.PUT(callOf(c), idOf(c), await dataOf(c))));
scimApi.patch("/Users/:id", async (c) => answerUser(c, await CHANGES.Users.PATCH(callOf(c), idOf(c), await dataOf(c))));

scimApi.get("/Groups", async (c) => {
  const part = readPartAsked(readQuery(c));
  const { groups, directory } = callOf(c);
  const { items, total } = await groups.list(directory, part);
  const { issuer } = c.var.instance;
  const wanted = wantedOf(c);
  const listed = items.map((group) => wanted(toGroupAnswer(group, null, issuer)));
  return answer(toListAnswer(listed, total, part.startIndex));
});
scimApi.get("/Groups/:id", async (c) => answerGroup(c, await findGroup(callOf(c), idOf(c))));
scimApi.post("/Groups", async (c) => answerGroup(c, await CHANGES.Groups.POST(callOf(c), "", await dataOf(c)), 201));
scimApi.put("/Groups/:id", async (c) => answerGroup(c, await CHANGES.Groups.PUT(callOf(c), idOf(c), await dataOf(c))));
scimApi.patch("/Groups/:id", async (c) => {
  const changed = await CHANGES.Groups.PATCH(callOf(c), idOf(c), await dataOf(c));
  // Groups are large, so they are sent only to callers that name attributes (RFC 7644 §3.5.2).
  if (readQuery(c).all("attributes").length === 0) return c.body(null, 204, { ETag: tagOf(changed) });
  return answerGroup(c, await findGroup(callOf(c), changed.id));
});

for (const type of ["Users", "Groups"] as const) {
  scimApi.delete(`/${type}/:id`, async (c) => {
    await CHANGES[type].DELETE(callOf(c), idOf(c));
    return c.body(null, 204);
  });
}

scimApi.post("/Bulk", bulkEndpoint);

// A directory's token belongs to no user (RFC 7644 §3.11).
scimApi.on(["GET", "POST", "PUT", "PATCH", "DELETE"], "/Me", () => {
  return answerUnsupported(501, "/Me is not supported: a directory's token stands for no user");
});

/**
 * Responds with a description of this service. A filter is refused: it is not applied, and its sender would take the whole
 * description for what matches (RFC 7644 §4).
 */
function answerDescription(
  c: Pick<ScimContext, "req" | "env" | "executionCtx" | "var">,
  description: ScimResource,
): Response {
  if (readQuery(c).all("filter").length === 0) return answer(description);
  return answerUnsupported(403, "This address can't be filtered: leave out filter");
}

function answerUnsupported(status: 403 | 501, detail: string): Response {
  return answer({ schemas: [SCIM_ERROR_SCHEMA], status: String(status), detail }, status);
}

function idOf(c: ScimContext): string {
  return c.req.param("id") ?? "";
}

function dataOf(c: RequestContext): Promise<Readonly<Record<string, unknown>>> {
  return readJsonObject(c, BODY_BYTES_MAX);
}

function answerUser(c: ScimContext, user: StoredUser, status: 200 | 201 = 200): Response {
  return answerResource(c, toUserAnswer(user, c.var.instance.issuer), tagOf(user), status);
}

async function answerGroup(c: ScimContext, group: StoredGroup, status: 200 | 201 = 200): Promise<Response> {
  const isWanted = "members" in wantedOf(c)({ members: [] });
  const members = isWanted ? await membersOf(callOf(c), group.id) : null;
  return answerResource(c, toGroupAnswer(group, members, c.var.instance.issuer), tagOf(group), status);
}

/** Responds with one resource and its `ETag`, or with 304 if the caller has it already (RFC 7644 §3.14). */
function answerResource(c: ScimContext, resource: ScimResource, tag: string, status: 200 | 201): Response {
  const isKnown = c.req.method === "GET" && lists(c.req.header("if-none-match") ?? "", tag);
  if (isKnown) return new Response(null, { status: 304, headers: { ETag: tag } });
  const { location } = resource["meta"] as { readonly location: string };
  return answer(wantedOf(c)(resource), status, { ETag: tag, ...(status === 201 ? { Location: location } : {}) });
}

/**
 * Returns a function that selects the requested attributes of a resource. Call it once for a list: `c.var` and the query are
 * created again at each access.
 */
function wantedOf(c: ScimContext): (resource: ScimResource) => ScimResource {
  const query = readQuery(c);
  return selectorOf(query.all("attributes"), query.all("excludedAttributes"));
}
