import { found } from "#administration/found.ts";
import { closed } from "#platform/members.ts";
import { externalIssuerSchema } from "#issuers/external-issuer.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import type { RegisteredIssuer } from "#issuers/registration.ts";
import { parseSettings, settingsSchema } from "#settings/settings.ts";
import { SERVICE_TOKEN_KINDS } from "#service-tokens/service-token.ts";
import { type StoredTransmitter, transmitterSchema } from "#signals/transmitter.ts";
import { connectionSchema } from "#single-sign-on/connection.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { listOf } from "#platform/listing.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { changed, deciding, flag, integer, lists, outcome, seconds, secret, text, texts } from "./answers.ts";
import { type AdminOperations, type AnyCall, taking } from "./operation.ts";

const issuer = v.object({ ...externalIssuerSchema.entries, createdAt: seconds, changedAt: seconds, isDisabled: flag });

/** Anything may be wrong with a draft: the rules say what, field by field. */
const issuerDraft = v.pipe(v.looseObject({}), v.description("As `GET /issuers/{issuer}` answers it"));

const token = v.object({
  id: text,
  kind: v.picklist(SERVICE_TOKEN_KINDS),
  name: text,
  scopes: texts,
  personId: v.nullable(text),
  personEmail: v.nullable(text),
  networks: texts,
  createdAt: seconds,
  createdBy: text,
  changedAt: seconds,
  expiresAt: v.nullable(seconds),
  revokedAt: v.nullable(seconds),
  lastUsedAt: v.nullable(seconds),
});

const connection = v.omit(connectionSchema, ["clientSecret"]);

const transmitter = v.object({
  ...transmitterSchema.entries,
  hasAuthorizationSecret: flag,
  createdAt: seconds,
  changedAt: seconds,
  verifiedAt: v.nullable(seconds),
});

const STAGES = ["next", "signing", "retired"] as const;

const signingKey = v.object({
  kid: text,
  stage: v.picklist(STAGES),
  createdAt: seconds,
  stagedAt: seconds,
});

/** Settings, where people sign in, whose tokens pass, keys, and tokens that the service issues. */
export const SECURITY_OPERATIONS: AdminOperations = {
  "GET /settings": {
    summary: "Read all settings, defaults included",
    answer: settingsSchema,
    run: async (call) => settingsOf(await recordOf(call)),
  },
  "PATCH /settings": taking(
    v.pipe(v.record(text, v.unknown()), v.description("Settings by name; `null` takes one back to its default")),
    {
      summary: "Change settings; those that are left out stay as they are",
      act: "settings.change",
      answer: settingsSchema,
      refusals: [412],
      run: ({ administration, instance, actor, body, requireUnchanged }) =>
        administration.settings.change(instance, nullsToDefaults(body), actor, (current) =>
          requireUnchanged(settingsOf(current)),
        ),
    },
  ),
  "PUT /logo": {
    summary: "Put another logo on every page: PNG, JPEG or WebP, at most 32 KB",
    act: "logos.put",
    takesBytes: true,
    answer: outcome,
    run: ({ administration, instance, actor, bytes }) => changed(administration.logos.put(instance, bytes, actor)),
  },
  "DELETE /logo": {
    summary: "Remove the logo",
    act: "logos.remove",
    answer: outcome,
    run: ({ administration, instance, actor }) => changed(administration.logos.remove(instance, actor)),
  },
  "GET /single-sign-on": {
    summary: "Read where people sign in; never the secret",
    answer: connection,
    refusals: [404],
    run: async (call) => found(Promise.resolve(connectionOf(await recordOf(call))), "connection"),
  },
  "PUT /single-sign-on": taking(closed(connectionSchema.entries), {
    summary: "Connect the organisation’s SSO",
    description: "Without `clientSecret` the stored one is kept, for the same client at the same issuer.",
    act: "singleSignOn.connect",
    answer: connection,
    refusals: [412],
    run: async (call) => {
      const { administration, instance, actor, body, requireUnchanged } = call;
      await administration.singleSignOn.connect(instance, body, actor, (current) =>
        requireUnchanged(connectionOf(current)),
      );
      return connectionOf(await recordOf(call));
    },
  }),
  "GET /signing-keys": lists(
    { filters: { stage: STAGES }, sorts: ["stagedAt", "createdAt"], isNewestFirst: true },
    signingKey,
    "List the keys that sign access tokens",
    async ({ reads, instance, query }) => listOf(await reads.signingKeys.list(instance.id), query, ({ kid }) => kid),
  ),
  "POST /signing-keys": taking(closed({ isCompromised: v.optional(flag, false) }), {
    summary: "Sign with a new key at once",
    description: "With `isCompromised`, the old key's tokens end too, and apps refresh.",
    act: "signingKeys.rotate",
    answer: v.object({ changed: flag }),
    run: async ({ administration, instance, actor, body }) => {
      await administration.signingKeys.rotate(instance, body.isCompromised, actor);
      return { changed: true };
    },
  }),
  "GET /issuers": lists(
    { filters: { isDisabled: ["true", "false"] }, sorts: ["issuer", "name", "createdAt"] },
    issuer,
    "List the identity providers whose tokens the Client API takes",
    async ({ reads, instance, query }) =>
      listOf((await reads.externalIssuers.list(instance.id)).map(shown), query, (each) => each.issuer),
  ),
  "POST /issuers": taking(issuerDraft, {
    summary: "Register an identity provider that is not registered yet",
    act: "issuers.add",
    creates: true,
    answer: issuer,
    run: async ({ administration, instance, actor, body }) =>
      shown(await administration.issuers.add(instance, draftOf(body), actor)),
  }),
  "GET /issuers/:issuer": {
    summary: "Read an identity provider; its URL is one percent-encoded part of the path",
    answer: issuer,
    refusals: [404],
    run: async (call) => shown(await issuerOf(call)),
  },
  "PUT /issuers/:issuer": taking(issuerDraft, {
    summary: "Register an identity provider, or replace its configuration",
    act: "issuers.register",
    answer: issuer,
    refusals: [412],
    run: async ({ administration, instance, actor, body, path, isConditional, requireUnchanged }) =>
      shown(
        await administration.issuers.register(
          instance,
          { ...draftOf(body, path("issuer")), issuer: path("issuer") },
          actor,
          isConditional ? (before) => requireUnchanged(before && shown(before)) : undefined,
        ),
      ),
  }),
  "PATCH /issuers/:issuer": taking(issuerDraft, {
    summary: "Change an identity provider; what is left out stays, and `null` takes a value back to its default",
    act: "issuers.edit",
    answer: issuer,
    refusals: [404, 412],
    run: async (call) => {
      const { administration, instance, actor, body, path, isConditional, requireUnchanged } = call;
      if (!isConditional) await issuerOf(call);
      return shown(
        await administration.issuers.edit(instance, path("issuer"), draftOf(body, path("issuer")), actor, (before) =>
          requireUnchanged(before && shown(before)),
        ),
      );
    },
  }),
  "DELETE /issuers/:issuer": deciding(issuerOf, {
    summary: "Remove an identity provider; people who were created through it stay",
    act: "issuers.remove",
    decide: ({ administration, instance, actor }, { configuration }) =>
      administration.issuers.remove(instance, configuration.issuer, actor).then(() => true),
  }),
  "POST /issuers/:issuer/disable": deciding(issuerOf, {
    summary: "Refuse an identity provider’s tokens",
    act: "issuers.disable",
    decide: ({ administration, instance, actor }, { configuration }) =>
      administration.issuers.disable(instance, configuration.issuer, actor),
  }),
  "POST /issuers/:issuer/enable": deciding(issuerOf, {
    summary: "Take an identity provider’s tokens again",
    act: "issuers.enable",
    decide: ({ administration, instance, actor }, { configuration }) =>
      administration.issuers.enable(instance, configuration.issuer, actor),
  }),
  "GET /transmitters": lists(
    { filters: {}, sorts: ["issuer", "name", "createdAt"] },
    transmitter,
    "List the systems that may sign people out",
    async ({ reads, instance, query }) =>
      listOf((await reads.transmitters.list(instance.id)).map(transmitterShown), query, (each) => each.issuer),
  ),
  "GET /transmitters/:issuer": {
    summary: "Read a transmitter; its issuer is one percent-encoded part of the path",
    answer: transmitter,
    unversioned: ["verifiedAt"],
    refusals: [404],
    run: async (call) => transmitterShown(await transmitterOf(call)),
  },
  "PUT /transmitters/:issuer": taking(
    closed({
      ...v.omit(transmitterSchema, ["issuer"]).entries,
      authorizationSecret: v.optional(v.nullable(text)),
    }),
    {
      summary: "Create or change a transmitter",
      description:
        "Without `authorizationSecret`, the stored value is kept. With `null`, no Authorization header is required.",
      act: "signals.put",
      answer: transmitter,
      unversioned: ["verifiedAt"],
      refusals: [412],
      run: async ({ administration, instance, actor, body, path, isConditional, requireUnchanged }) => {
        const { authorizationSecret, ...draft } = body;
        const requireSeen = (before: StoredTransmitter | null) => requireUnchanged(before && transmitterShown(before));
        return transmitterShown(
          await administration.signals.put(
            instance,
            { ...draft, issuer: path("issuer") },
            authorizationSecret,
            actor,
            isConditional ? requireSeen : undefined,
          ),
        );
      },
    },
  ),
  "DELETE /transmitters/:issuer": deciding(transmitterOf, {
    summary: "Remove a transmitter; its events are refused at once",
    act: "signals.remove",
    decide: ({ administration, instance, actor }, stored) => administration.signals.remove(instance, stored, actor),
  }),
  "GET /tokens": lists(TOKEN_LIST, token, "List service-issued tokens; never their secrets", (call) =>
    call.reads.issuedTokens.list(call.instance.id, call.query, call.now),
  ),
  "POST /tokens": taking(
    closed({
      kind: v.picklist(SERVICE_TOKEN_KINDS, `a kind is one of ${SERVICE_TOKEN_KINDS.join(", ")}`),
      name: text,
      scopes: texts,
      person: v.optional(v.nullable(text), null),
      lifetimeSeconds: v.optional(v.nullable(v.pipe(integer, v.minValue(1))), null),
      networks: v.optional(texts, []),
    }),
    {
      summary: "Issue a token",
      act: "serviceTokens.issue",
      creates: true,
      answer: v.object({ token, secret }),
      run: async (call) => {
        const { administration, instance, actor, body } = call;
        const issued = await administration.serviceTokens.issue(instance, body, actor);
        return { token: await tokenOf(call, issued.token.id), secret: issued.secret };
      },
    },
  ),
  "GET /tokens/:id": { summary: "Read a token", answer: token, refusals: [404], run: (call) => tokenOf(call) },
  "POST /tokens/:id/rotate": taking(closed({ endOthersNow: v.optional(flag, false) }), {
    summary: "Give a token a new secret",
    description: "The old one works ten minutes more, or with `endOthersNow` no longer.",
    act: "serviceTokens.rotate",
    creates: true,
    answer: v.object({ secret }),
    run: async ({ administration, instance, path, actor, body }) => ({
      secret: await administration.serviceTokens.rotate(instance, path("id"), body.endOthersNow, actor),
    }),
  }),
  "POST /tokens/:id/revoke": {
    summary: "Revoke a token; within 10 seconds neither it nor an admin token that it issued opens anything",
    act: "serviceTokens.revoke",
    answer: outcome,
    run: ({ administration, instance, path, actor }) =>
      changed(administration.serviceTokens.revoke(instance, path("id"), actor)),
  },
};

function recordOf({ reads, instance }: AnyCall): Promise<InstanceRecord> {
  return reads.instances.require(instance.name);
}

function settingsOf({ settings }: InstanceRecord) {
  return parseSettings(settings);
}

function connectionOf({ singleSignOn }: InstanceRecord) {
  if (singleSignOn === null) return null;
  const { sealedClientSecret: _secret, ...shownOf } = singleSignOn;
  return shownOf;
}

/** The identity provider that the path names. @throws {ApiError} `not_found` */
export async function issuerOf({ reads, instance, path }: AnyCall): Promise<RegisteredIssuer> {
  try {
    return await reads.externalIssuers.require(instance, path("issuer"));
  } catch (error) {
    if (!(error instanceof AdministrationRefused)) throw error;
    throw new ApiError("not_found", { reason: "admin_object_unknown", description: error.message });
  }
}

function shown({ configuration, ...rest }: RegisteredIssuer) {
  return { ...configuration, ...rest };
}

/**
 * What an answer has beside its configuration is left out, so that an issuer is sent as it was read.
 *
 * @param named the issuer that the path names
 * @throws {ApiError} `bad_request` where the body names another one
 */
function draftOf(body: object, named?: string) {
  if (named !== undefined && "issuer" in body && body.issuer !== named) {
    const description = "The issuer is not the one in the path: leave it out, or register another identity provider";
    throw new ApiError("bad_request", { reason: "admin_request_malformed", field: "issuer", description });
  }
  const { createdAt: _at, changedAt: _then, isDisabled: _is, ...given } = body as Readonly<Record<string, unknown>>;
  return nullsToDefaults(given) as unknown as IssuerDraft;
}

/** The acts take a value back to its default where it is `undefined`; JSON has only `null` for that. */
function nullsToDefaults(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]));
}

function transmitterOf({ reads, instance, path }: AnyCall): Promise<StoredTransmitter> {
  return found(reads.transmitters.find(instance.id, path("issuer")), "transmitter");
}

function transmitterShown({ configuration, authorizationHash, createdAt, changedAt, verifiedAt }: StoredTransmitter) {
  return { ...configuration, hasAuthorizationSecret: authorizationHash !== null, createdAt, changedAt, verifiedAt };
}

function tokenOf({ reads, instance, path }: AnyCall, id = path("id")) {
  return found(reads.issuedTokens.find(instance.id, id), "token");
}
