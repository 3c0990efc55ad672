import { requireAuthentic } from "#authorization-server/client-authentication/client-authentication.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { requirementsOf } from "#clients/client-requirements.ts";
import { type CompactJwt, parseCompactJwt } from "#crypto/compact-jwt.ts";
import { THROUGH_APP } from "#grants/grant.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { requireRegisteredClient } from "#issuers/registered-client.ts";
import { type ActingApp, actingApps } from "#protocol/access-token-claims.ts";
import { OAuthError } from "#protocol/errors.ts";
import { ACCESS_TOKEN } from "#protocol/grant-types.ts";
import { isObject } from "#protocol/json-object.ts";
import { statedTime } from "#protocol/numeric-date.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { isWithin, parseResource } from "#protocol/resource-indicator.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import { addAssertedGrant, asGrantError, requireScope } from "./asserted-grant.ts";
import type { GrantType } from "./grant-type.ts";

/**
 * Lets an app act for a person with the access token that another app sent it (RFC 8693). The new token names both apps, never allows
 * more or lives longer than the other one, and ends with it. Whatever limits one of the apps limits the token.
 *
 * The other token has to pass the checks of the Client API. If it is bound to a key, the request needs a proof by that key: otherwise
 * whoever stole it could exchange it for one that works without.
 */
export function exchangeGrant(services: OAuthServices): GrantType {
  const { appAccess, clients, subjectTokens, tokenGrants } = services;

  return async ({ instance, request }) => {
    const { issuer: here, policy } = instance;
    const credentials = await requireAuthentic(services, instance, request);
    const { clientId, proof } = credentials;
    const client = await clients.findEnabled(policy.instanceId, clientId);
    if (!client?.mayExchangeTokens || proof === null) {
      throw new OAuthError("unauthorized_client", {
        reason: "token_exchange_off",
        description: "This app may not exchange tokens: an administrator can allow it",
      });
    }
    return {
      credentials,
      requirements: requirementsOf(client, policy.settings),
      async read(asked) {
        const { keyThumbprint, now, parameters } = asked;
        const jwt = readSubjectToken(parameters);
        const audience = parseResource(parameters.all("audience"), here);
        return async () => {
          const accept = () => subjectTokens(instance, jwt.token, request.waitUntil);
          const subject = await asGrantError(accept, "invalid_request");
          const { apps, grantId, personId } = subject;
          const { auth_time: authenticatedAt, client_id: named, exp, iat, iss, may_act: mayAct } = jwt.payload;
          if (subject.keyThumbprint !== undefined && subject.keyThumbprint !== keyThumbprint) {
            throw refused("subject_token_of_another_key", "The subject token is bound to a key: prove it with DPoP");
          }
          if (named === personId) {
            throw refused("subject_token_of_machine", "The subject token is a service account's: nobody to act for");
          }
          if (mayAct !== undefined && !isActor(mayAct, clientId, here)) {
            throw refused("subject_token_for_another_actor", "The subject token lets another party act (may_act)");
          }
          const tokensUntil = Math.min(now + policy.settings.accessTokenLifetimeSeconds, Math.floor(Number(exp)));
          if (tokensUntil <= now) throw refused("token_expired", "The subject token has expired");
          const act = { sub: clientId, client_kind: client.kind, act: actingBefore(jwt, instance) };
          if (!actingApps(act)) {
            throw refused("subject_token_passed_on_too_often", "The access passed through too many apps already");
          }
          const resource = requireTarget(asked.resource, audience, subject.resource ?? here);
          const held = API_SCOPES.filter((scope) => subject.scopes.has(scope));
          const scopes = await appAccess.within(policy, apps, { personId }, held);
          const own = await appAccess.scopesFor(policy, client, { personId });
          const [[application = ""] = []] = apps;
          const app = grantId === undefined ? application : String(named);
          const outcome = await addAssertedGrant(tokenGrants, asked, {
            personId,
            resource,
            tokensUntil,
            scope: requireScope(
              parameters,
              scopes.filter((scope) => own.includes(scope)),
            ),
            assertedBy: grantId === undefined ? String(iss) : THROUGH_APP + app,
            basis: grantId === undefined ? { policyVersion: policy.version, issuedAt: Number(iat) } : null,
            exchanged: { app, from: grantId ?? app },
            signedInAt: statedTime(authenticatedAt, statedTime(iat, now)),
          });
          // The grant may be running already, for a token that lives longer.
          return "refusal" in outcome ? outcome : { grant: { ...outcome.grant, tokensUntil }, resource, act };
        };
      },
    };
  };
}

/** @throws {OAuthError} `invalid_request` for anything other than one access token to be exchanged for another (RFC 8693 §2.1) */
function readSubjectToken(parameters: Parameters): CompactJwt {
  const token = parameters.require("subject_token");
  const types = [parameters.require("subject_token_type"), parameters.one("requested_token_type") ?? ACCESS_TOKEN];
  if (types.some((type) => type !== ACCESS_TOKEN)) {
    throw refused(
      "exchange_of_other_token_type",
      `Only access tokens can be exchanged, and requested: ${ACCESS_TOKEN}`,
    );
  }
  if (["actor_token", "actor_token_type"].some((name) => parameters.one(name) !== undefined)) {
    throw refused("exchange_with_actor_token", "The client that authenticates is the actor: send no actor_token");
  }
  const jwt = parseCompactJwt(token);
  if (!jwt) throw refused("subject_token_not_a_jwt", "The subject token is not an access token of an app for a person");
  return jwt;
}

/** Checks whether a token's `may_act` means this client (RFC 8693 §4.4). */
function isActor(mayAct: unknown, clientId: string, here: string): boolean {
  return isObject(mayAct) && mayAct["sub"] === clientId && (mayAct["iss"] ?? here) === here;
}

/** Returns the apps through which a subject token has passed: its own app, and those that its issuer names. */
function actingBefore({ payload }: CompactJwt, { issuer: here, policy }: RequestInstance): ActingApp {
  const { iss, act, client_id: sub, client_kind: kind, client_app: ownApp } = payload;
  if (iss === here) {
    return (act ?? { sub, client_kind: kind, ...(ownApp === undefined ? {} : { client_app: ownApp }) }) as ActingApp;
  }
  const provider = String(iss);
  const issuer = policy.externalIssuers.get(provider);
  const before = actingApps(act);
  if (!issuer || !before) throw refused("subject_token_passed_on_too_often", "The subject token's act is malformed");
  const named = before.map((app) => ({ iss: app.iss ?? provider, sub: app.sub }));
  const inner = named.reduceRight<ActingApp | undefined>(
    (outer, app) => ({ ...app, ...(outer && { act: outer }) }),
    undefined,
  );
  return { iss: provider, sub: requireRegisteredClient(payload, issuer), ...(inner && { act: inner }) };
}

/** @throws {OAuthError} `invalid_target` for a resource beyond that of the subject token (RFC 8693 §2.2.2) */
function requireTarget(resource: string | undefined, audience: string | undefined, granted: string): string {
  const wanted = resource ?? audience ?? granted;
  if (isWithin(wanted, granted) && (audience ?? wanted) === wanted) return wanted;
  throw new OAuthError("invalid_target", {
    reason: "resource_beyond_grant",
    description: `The subject token is for ${granted}: request that, or a resource below it`,
  });
}

/** Makes the refusal of a request or a subject token (RFC 8693 §2.2.2). */
function refused(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError("invalid_request", { reason, description });
}
