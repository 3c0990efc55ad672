import { requirePublicKeys } from "./public-keys.ts";
import { found } from "#administration/found.ts";
import { APP_MEMBERS } from "#clients/app-members.ts";
import { AUTHENTICATION_METHODS } from "#clients/client.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import type { ClientKeys } from "#clients/client-keys.ts";
import { GRANT_LIST } from "#grants/grant-list.ts";
import type { StoredRules } from "#app-access/app-rules.ts";
import { listOf } from "#platform/listing.ts";
import { schemasOf } from "#platform/described-members.ts";
import { closed } from "#platform/members.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { exactOptionals, flag, seconds, text } from "./members.ts";
import { type AdminOperations, type AnyCall, changed, deciding, lists, taking } from "./operation.ts";

/** Changes with every refresh. If it were part of the `ETag`, an app in use could never be changed conditionally. */
const unversioned = ["lastUsedAt"];

const members = schemasOf(APP_MEMBERS);

export const contentBody = closed({
  content: v.array(closed({ field: text, values: v.array(text), isExcluded: v.optional(flag, false) })),
});

/** Operations about apps, who may use them, and what people allowed them. */
export const APP_OPERATIONS: AdminOperations = {
  "GET /apps": lists(CLIENT_LIST, ({ reads, instance, query }) => reads.clientDirectory.list(instance.id, query)),
  "POST /apps": taking(
    closed({
      ...members,
      tokenEndpointAuthMethod: v.optional(v.picklist(AUTHENTICATION_METHODS), "none"),
      keys: v.optional(members.keys),
      requirements: v.optional(members.requirements, []),
      mayExchangeTokens: v.optional(members.mayExchangeTokens, false),
      isNameNew: v.optional(flag, false),
    }),
    {
      act: "clients.create",
      creates: true,
      run: async (call) => {
        const { administration } = call;
        const { keys: given, ...body } = call.body;
        const order = { ...body, ...keysOf(given) };
        const { client, secret: shown } = await administration.clients.create(order);
        return { app: await appWith(call, client.id), secret: shown };
      },
    },
  ),
  "GET /apps/:id": { unversioned, refusals: [404], run: appOf },
  "PATCH /apps/:id": taking(closed(exactOptionals(members)), {
    act: "clients.change",
    unversioned,
    refusals: [412],
    run: async (call) => {
      const seen = await appOf(call);
      await call.requireUnchanged(seen);
      const { administration } = call;
      const { keys: given, ...body } = call.body;
      await administration.clients.change(seen, { ...body, ...keysOf(given) });
      return appOf(call);
    },
  }),
  "DELETE /apps/:id": {
    act: "clients.remove",
    run: ({ administration, path }) => changed(administration.clients.remove(path("id"))),
  },
  "POST /apps/:id/secret": {
    act: "clients.rotateSecret",
    creates: true,
    refusals: [404],
    run: async (call) => {
      const { administration } = call;
      return { secret: await administration.clients.rotateSecret((await appOf(call)).id) };
    },
  },
  "POST /apps/:id/approve": taking(closed({ changedAt: seconds }), {
    act: "clients.approve",
    refusals: [404, 409],
    run: async (call) => {
      const { administration } = call;
      const seen = { ...(await appOf(call)), changedAt: call.body.changedAt };
      const approval = await administration.clients.approve(seen);
      if (approval !== "changed") return { changed: approval === "approved" };
      throw new ApiError("conflict", {
        reason: "changed_since_read",
        description: "The app has changed since you read it: read it again, then decide",
      });
    },
  }),
  "POST /apps/:id/deny": deciding("clients.deny", appOf, ({ administration }, { id }) =>
    administration.clients.deny(id),
  ),
  "POST /apps/:id/disable": deciding("clients.disable", appOf, ({ administration }, { id }) =>
    administration.clients.disable(id),
  ),
  "POST /apps/:id/enable": deciding("clients.enable", appOf, ({ administration }, { id }) =>
    administration.clients.enable(id),
  ),
  "GET /app-rules": lists({ filters: {}, sorts: ["app", "changedAt"] }, async ({ reads, instance, query }) =>
    listOf((await reads.appRules.list(instance.id)).map(shownRules), query, ({ app: id }) => id),
  ),
  "GET /app-rules/:app": {
    refusals: [404],
    run: async ({ reads, instance, path }) =>
      shownRules(await found(reads.appRules.find(instance.id, path("app")), "app with rules")),
  },
  "PUT /app-rules/:app": taking(closed({ rules: v.array(closed({ group: text, scopes: members.scopes })) }), {
    act: "appRules.replace",
    refusals: [412],
    run: async (call) => {
      const { administration, body, path, requireUnchanged } = call;
      await administration.appRules.replace(path("app"), body.rules, (seen) =>
        requireUnchanged(seen && shownRules(seen)),
      );
      return rulesAfter(call, path("app"));
    },
  }),
  "PUT /app-rules/:app/content": taking(contentBody, {
    act: "appRules.limit",
    refusals: [412],
    run: async (call) => {
      const { administration, body, path, requireUnchanged } = call;
      await administration.appRules.limit(path("app"), body.content, (seen) =>
        requireUnchanged(seen && shownRules(seen)),
      );
      return contentAfter(call, path("app"));
    },
  }),
  "GET /grants": lists(GRANT_LIST, ({ reads, policy, query }) => reads.grants.list(policy, query)),
  "DELETE /grants": {
    act: "grants.revokeAll",
    run: async ({ administration }) => ({
      revoked: await administration.grants.revokeAll(),
    }),
  },
  "DELETE /grants/:id": {
    act: "grants.revoke",
    run: async ({ administration, reads, policy, path }) => {
      const running = await reads.grants.find(policy, path("id"));
      return running === null ? { changed: false } : changed(administration.grants.revoke(running));
    },
  },
};

async function rulesAfter({ reads, instance }: AnyCall, app: string) {
  const stored = await reads.appRules.find(instance.id, app);
  return stored ? shownRules(stored) : { app, rules: [], content: [], changedAt: null };
}

/** Returns the same with warnings about the conditions, after a change of what an app may search. */
export async function contentAfter(call: AnyCall, app: string) {
  const after = await rulesAfter(call, app);
  return { ...after, warnings: await call.reads.metadataGroups.warningsAbout(call.instance.id, after.content) };
}

export function shownRules({ app: id, rules, content, changedAt }: StoredRules) {
  return { app: id, rules, content, changedAt };
}

function appOf(call: AnyCall) {
  return appWith(call, call.path("id"));
}

function appWith({ reads, instance }: AnyCall, id: string) {
  return found(reads.clientDirectory.find(instance.id, id), "app");
}

function keysOf(given: v.InferOutput<typeof members.keys> | undefined): { keys?: ClientKeys } {
  return given === undefined ? {} : { keys: requirePublicKeys(given) };
}
