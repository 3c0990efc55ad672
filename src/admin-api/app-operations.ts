import { found } from "#administration/found.ts";
import { AUTHENTICATION_METHODS } from "#clients/client.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import type { ClientKeys } from "#clients/client-keys.ts";
import { GRANT_LIST } from "#grants/grant-list.ts";
import type { StoredRules } from "#app-access/app-rule-store.ts";
import { listOf } from "#platform/listing.ts";
import { closed } from "#platform/members.ts";
import { ApiError } from "#protocol/errors.ts";
import { APP_REQUIREMENTS } from "#protocol/app-requirements.ts";
import { SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";
import { changed, deciding, flag, integer, lists, outcome, seconds, secret, text, texts } from "./answers.ts";
import { type AdminOperations, type AnyCall, taking } from "./operation.ts";
import { publicKeys, requirePublicKeys } from "./public-keys.ts";

const app = v.object({
  id: text,
  kind: v.picklist(["static", "dynamic", "document"]),
  name: text,
  clientUri: v.nullable(text),
  policyUri: v.nullable(text),
  tosUri: v.nullable(text),
  redirectUris: texts,
  scopes: texts,
  tokenEndpointAuthMethod: v.picklist(AUTHENTICATION_METHODS),
  isPublic: flag,
  keys: v.nullable(publicKeys),
  requirements: texts,
  declaredRequirements: texts,
  isPending: flag,
  isApproved: flag,
  isDisabled: flag,
  createdAt: seconds,
  changedAt: seconds,
  lastUsedAt: v.nullable(seconds),
});

/** Changes with every refresh: if it were part of the `ETag`, an app in use could never be changed conditionally. */
const unversioned = ["lastUsedAt"];

const scopes = v.array(v.picklist(SCOPES, `a scope is one of ${SCOPES.join(", ")}`));

const requirements = v.array(v.picklist(APP_REQUIREMENTS, `a requirement is one of ${APP_REQUIREMENTS.join(", ")}`));

const grant = v.object({
  id: text,
  personId: text,
  personEmail: text,
  clientId: text,
  clientName: text,
  scope: text,
  createdAt: seconds,
  lastTokensAt: seconds,
  expiresAt: seconds,
  assertedBy: v.nullable(text),
});

const appRules = v.object({
  app: text,
  rules: v.array(v.object({ group: text, scopes: texts })),
  changedAt: v.nullable(seconds),
});

/** Apps, who may use them, and what people allowed them. */
export const APP_OPERATIONS: AdminOperations = {
  "GET /apps": lists(CLIENT_LIST, app, "List apps of every kind", ({ reads, instance, query }) =>
    reads.clientDirectory.list(instance.id, query),
  ),
  "POST /apps": taking(
    closed({
      name: text,
      redirectUris: texts,
      scopes: v.optional(scopes, [...SCOPES]),
      tokenEndpointAuthMethod: v.optional(v.picklist(AUTHENTICATION_METHODS), "none"),
      keys: v.optional(publicKeys),
      requirements: v.optional(requirements, []),
    }),
    {
      summary: "Create an app",
      description: "The secret, where the app has one, is in this answer only.",
      act: "clients.create",
      creates: true,
      answer: v.object({ app, secret: v.optional(secret) }),
      run: async (call) => {
        const { administration, instance, actor } = call;
        const { keys: given, ...body } = call.body;
        const order = { ...body, ...keysOf(given) };
        const { client, secret: shown } = await administration.clients.create(instance, order, actor);
        return { app: await appWith(call, client.id), secret: shown };
      },
    },
  ),
  "GET /apps/:id": { summary: "Read an app", answer: app, unversioned, refusals: [404], run: appOf },
  "PATCH /apps/:id": taking(
    closed({
      name: v.exactOptional(text),
      redirectUris: v.exactOptional(texts),
      scopes: v.exactOptional(scopes),
      keys: v.exactOptional(publicKeys),
      requirements: v.exactOptional(requirements),
    }),
    {
      summary: "Change an enabled app",
      description:
        "Members that you leave out don’t change. If you remove a scope, running tokens lose it within 10 seconds. Requirements apply from the app’s next token.",
      act: "clients.change",
      answer: app,
      unversioned,
      refusals: [412],
      run: async (call) => {
        const seen = await appOf(call);
        await call.requireUnchanged(seen);
        const { administration, instance, actor } = call;
        const { keys: given, ...body } = call.body;
        await administration.clients.change(instance, seen, { ...body, ...keysOf(given) }, actor);
        return appOf(call);
      },
    },
  ),
  "DELETE /apps/:id": {
    summary: "Delete an app, with all that people allowed it",
    act: "clients.remove",
    answer: outcome,
    run: ({ administration, instance, path, actor }) =>
      changed(administration.clients.remove(instance, path("id"), actor)),
  },
  "POST /apps/:id/secret": {
    summary: "Replace the secret of an app",
    description: "The old one is wrong at once. The new one is in this answer only.",
    act: "clients.rotateSecret",
    creates: true,
    answer: v.object({ secret }),
    refusals: [404],
    run: async (call) => {
      const { administration, instance, actor } = call;
      return { secret: await administration.clients.rotateSecret(instance, (await appOf(call)).id, actor) };
    },
  },
  "POST /apps/:id/approve": taking(closed({ changedAt: seconds }), {
    summary: "Approve an app that waits",
    description:
      "`changedAt` is the app's, as you read it: what it became since then is not approved, and the answer is 409.",
    act: "clients.approve",
    answer: outcome,
    refusals: [404, 409],
    run: async (call) => {
      const { administration, instance, actor } = call;
      const seen = { ...(await appOf(call)), changedAt: call.body.changedAt };
      const approval = await administration.clients.approve(instance, seen, actor);
      if (approval !== "changed") return { changed: approval === "approved" };
      throw new ApiError("conflict", {
        reason: "changed_since_read",
        description: "The app has changed since you read it: read it again, then decide",
      });
    },
  }),
  "POST /apps/:id/deny": deciding(appOf, {
    summary: "Turn away an app that waits for approval",
    act: "clients.deny",
    decide: ({ administration, instance, actor }, { id }) => administration.clients.deny(instance, id, actor),
  }),
  "POST /apps/:id/disable": deciding(appOf, {
    summary: "Disable an app; its tokens end within 10 seconds",
    act: "clients.disable",
    decide: ({ administration, instance, actor }, { id }) => administration.clients.disable(instance, id, actor),
  }),
  "POST /apps/:id/enable": deciding(appOf, {
    summary: "Enable an app again, with what people allowed it",
    act: "clients.enable",
    decide: ({ administration, instance, actor }, { id }) => administration.clients.enable(instance, id, actor),
  }),
  "GET /app-rules": lists(
    { filters: {}, sorts: ["app", "changedAt"] },
    appRules,
    "List which groups may use which apps; everybody may use an app that is not in the list",
    async ({ reads, instance, query }) =>
      listOf((await reads.appRules.list(instance.id)).map(shownRules), query, ({ app: id }) => id),
  ),
  "GET /app-rules/:app": {
    summary: "Read who may use an app; its id is one percent-encoded part of the path",
    description:
      "An identity provider's application is `<issuer>|<client id>`. Without rules, everybody may use it, and the answer is 404.",
    answer: appRules,
    refusals: [404],
    run: async ({ reads, instance, path }) =>
      shownRules(await found(reads.appRules.find(instance.id, path("app")), "app with rules")),
  },
  "PUT /app-rules/:app": taking(closed({ rules: v.array(closed({ group: text, scopes })) }), {
    summary: "Set which groups may use an app, and with which scopes",
    description:
      "`*` is everybody. Without rules, everybody may use the app, with the app's scopes. Changes apply to running tokens within 10 seconds.",
    act: "appRules.replace",
    answer: appRules,
    refusals: [412],
    run: async ({ administration, reads, instance, actor, body, path, requireUnchanged }) => {
      const id = path("app");
      await administration.appRules.replace(instance, id, body.rules, actor, (seen) =>
        requireUnchanged(seen && shownRules(seen)),
      );
      const stored = await reads.appRules.find(instance.id, id);
      return stored ? shownRules(stored) : { app: id, rules: [], changedAt: null };
    },
  }),
  "GET /grants": lists(
    GRANT_LIST,
    grant,
    "List grants: what people allow apps, and what identity providers assert",
    ({ reads, policy, query }) => reads.grants.list(policy, query),
  ),
  "DELETE /grants": {
    summary: "End every app’s access, everybody’s",
    act: "grants.revokeAll",
    answer: v.object({ revoked: integer }),
    run: async ({ administration, instance, actor }) => ({
      revoked: await administration.grants.revokeAll(instance, actor),
    }),
  },
  "DELETE /grants/:id": {
    summary: "End one person’s access by one app",
    act: "grants.revoke",
    answer: outcome,
    run: async ({ administration, reads, instance, policy, path, actor }) => {
      const running = await reads.grants.find(policy, path("id"));
      return running === null ? { changed: false } : changed(administration.grants.revoke(instance, running, actor));
    },
  },
};

function shownRules({ app: id, rules, changedAt }: StoredRules) {
  return { app: id, rules, changedAt };
}

function appOf(call: AnyCall) {
  return appWith(call, call.path("id"));
}

function appWith({ reads, instance }: AnyCall, id: string) {
  return found(reads.clientDirectory.find(instance.id, id), "app");
}

function keysOf(given: v.InferOutput<typeof publicKeys> | undefined): { keys?: ClientKeys } {
  return given === undefined ? {} : { keys: requirePublicKeys(given) };
}
