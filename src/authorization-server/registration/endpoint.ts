import type { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import { noteStep } from "#connection-attempts/step-middleware.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { type ContextOf, noStore, readClientMetadata } from "#platform/http.ts";
import { callerNetwork, requireWithinRate } from "#platform/rate-limit.ts";
import {
  readRegistration,
  register,
  type RegistrationAnswer,
  removeRegistration,
  updateRegistration,
} from "./register-client.ts";

const http = createFactory<InstanceEnv<OAuthServices & { readonly connectionAttempts: ConnectionAttempts }>>();

/** POST /oauth/register: dynamic client registration (RFC 7591 §3). */
export const registrationEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "registration");
  const { instance, services } = c.var;
  const body = await readClientMetadata(c);
  const answer = await register(services, instance, body, callerNetwork(c));
  noteStep(c, { clientId: answer.client.id });
  return c.json(describe(c, answer), 201);
});

/** GET /oauth/register/{client_id}: returns the registration (RFC 7592 §2.1). */
export const readRegistrationEndpoint = http.createHandlers(noStore, async (c) => {
  const { instance, services } = c.var;
  return c.json(describe(c, await readRegistration(services, instance.policy, clientId(c), bearer(c))));
});

/** PUT /oauth/register/{client_id}: replaces the registration (RFC 7592 §2.2). */
export const updateRegistrationEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "registration");
  const { instance, services } = c.var;
  const body = await readClientMetadata(c);
  return c.json(describe(c, await updateRegistration(services, instance, clientId(c), bearer(c), body)));
});

/** DELETE /oauth/register/{client_id} (RFC 7592 §2.3). */
export const deleteRegistrationEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "registration");
  const { instance, services } = c.var;
  await removeRegistration(services, instance.policy, clientId(c), bearer(c));
  return c.body(null, 204);
});

function clientId(c: ContextOf<InstanceEnv>): string {
  return c.req.param("clientId") ?? "";
}

function bearer(c: ContextOf<InstanceEnv>): string | undefined {
  return /^bearer +([A-Za-z0-9_-]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

/** Returns the client's keys in the form of RFC 7591 §2. */
function keysOf({ keys }: RegistrationAnswer["client"]) {
  if (keys === null) return {};
  return "jwks" in keys ? { jwks: { keys: keys.jwks } } : { jwks_uri: keys.jwksUri };
}

function describe(c: ContextOf<InstanceEnv>, answer: RegistrationAnswer) {
  const { client, secret, registrationToken } = answer;
  return {
    client_id: client.id,
    client_id_issued_at: answer.createdAt,
    ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    ...(registrationToken === undefined
      ? {}
      : {
          registration_access_token: registrationToken,
          registration_client_uri: `${c.var.instance.issuer}${ENDPOINTS.registration}/${client.id}`,
        }),
    client_name: client.name,
    ...(client.clientUri === null ? {} : { client_uri: client.clientUri }),
    ...(client.policyUri === null ? {} : { policy_uri: client.policyUri }),
    ...(client.tosUri === null ? {} : { tos_uri: client.tosUri }),
    redirect_uris: client.redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    ...(client.declaredRequirements.includes("par") ? { require_pushed_authorization_requests: true } : {}),
    ...(client.declaredRequirements.includes("dpop") ? { dpop_bound_access_tokens: true } : {}),
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    ...keysOf(client),
    ...(answer.applicationType === undefined ? {} : { application_type: answer.applicationType }),
    scope: answer.scope.join(" "),
  };
}
