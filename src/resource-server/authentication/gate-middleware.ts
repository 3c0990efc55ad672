import type { AppAccess } from "#app-access/app-access.ts";
import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import { DPOP_ALGORITHMS, type ProvedRequest, type TokenScheme } from "#dpop/dpop-proof.ts";
import type { DpopProofs } from "#dpop/dpop-proofs.ts";
import { offerNonce, provedRequest } from "#dpop/proof-middleware.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Seers } from "#people/seers.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { type ContextOf, type RequestContext, waitUntil } from "#platform/http.ts";
import { callerAddress, requireWithinRate } from "#platform/rate-limit.ts";
import type { Refusal } from "#protocol/errors.ts";
import { formatChallenge } from "#protocol/challenge.ts";
import { MCP_PATH, RESOURCE_METADATA_PATH, type ResourcePath } from "#protocol/resource-indicator.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ServiceWords } from "#protocol/service-words.ts";
import type { ServiceToken } from "#service-tokens/service-token.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import { requireLetIn, withinRules } from "#resource-server/authorization/app-rules-step.ts";
import { accessTo, tokenFor } from "#resource-server/authorization/route-access.ts";
import { type ClientApiRoute, MCP_SCOPES, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { readBearer, readBearerOrBound, schemeOf } from "./bearer.ts";
import type { Caller, Credentials } from "./caller.ts";
import type { ClientApiGate } from "./client-api-gate.ts";
import { requireServiceToken, type ServiceTokenCredentials } from "./service-token-gate.ts";

/** The environment of handlers behind {@link clientApiGate} and {@link mcpGate}. */
export type ClientApiEnv<Services extends object = object, Variables extends object = object> = InstanceEnv<
  Services,
  {
    /** The person whose token the gate let in. */
    caller: Caller;
  } & Variables
>;

/** The environment of handlers behind {@link indexingGate}. */
export type IndexingEnv<Services extends object = object> = InstanceEnv<
  Services,
  {
    /** The scopes of the pipeline's token, and its id. */
    indexingScopes: readonly string[];
    indexingTokenId: string;
  }
>;

/** Lets a request to this route of the Client API pass as the person whose token it carries, if its scopes suffice. */
export function clientApiGate(route: ClientApiRoute) {
  return gateOf("", [ROUTE_SCOPES[route]], accessTo(route));
}

/** Lets a request to the MCP endpoint pass as the person whose token it carries; each tool checks the scopes itself. */
export const mcpGate = gateOf(MCP_PATH, MCP_SCOPES, tokenFor(MCP_PATH));

/**
 * Loads the person named in one of our own tokens at the same time as the instance's policy, so a search far from D1 waits once instead of
 * twice. The token isn't verified yet: it only decides which row is cached, and the gate decides whether that row is used.
 */
export const readsCallerAhead = createMiddleware<RouteEnv<{ readonly seers: Pick<Seers, "readAhead"> }>>((c, next) => {
  c.set("readAhead", async () => {
    const jwt = parseCompactJwt(c.req.header("authorization")?.replace(/^(Bearer|DPoP) +/i, "") ?? "");
    const { iss, sub } = jwt?.payload ?? {};
    if (iss === c.get("frame").origin && typeof sub === "string") await c.get("services").seers.readAhead(sub);
  });
  return next();
});

type GateEnv = ClientApiEnv<{
  readonly clientApiGate: ClientApiGate;
  readonly appAccess: AppAccess;
  readonly dpopProofs: DpopProofs;
  readonly serviceWords: ServiceWords;
}>;

/**
 * Makes the gate of a resource.
 *
 * @param resource whose metadata the challenge names
 * @param scopes that the challenge names, unless the refusal names others
 */
function gateOf(
  resource: ResourcePath,
  scopes: readonly Scope[],
  requireAccess: (instance: RequestInstance, caller: Caller) => void,
) {
  return createMiddleware<GateEnv>((c, next) => {
    const instance = c.get("instance");
    const { clientApiGate: gate, appAccess } = c.get("services");
    const credentials = new RequestCredentials(c, resource === MCP_PATH);
    c.get("frame").challenge = (refusal) =>
      formatChallenge({
        resourceMetadata: instance.issuer + RESOURCE_METADATA_PATH + resource,
        scopes: refusal.scopes ?? scopes,
        scheme: credentials.scheme,
        dpopAlgorithms: credentials.scheme === "DPoP" || isForDpop(refusal) ? DPOP_ALGORITHMS : [],
        ...challengeError(refusal),
      });
    const narrow = (caller: Caller) => withinRules(appAccess, instance.policy, caller);
    const letIn = (caller: Caller) => {
      // The caller is set first, so that refusals below are recorded as this caller's.
      c.set("caller", caller);
      requireLetIn(caller);
      requireAccess(instance, caller);
      return next();
    };
    const recognised = gate.recognise(instance, credentials);
    const caller = recognised ? narrow(recognised) : admit(c, gate, credentials).then(narrow);
    return caller instanceof Promise ? caller.then(letIn) : letIn(caller);
  });
}

async function admit(c: ContextOf<GateEnv>, gate: ClientApiGate, credentials: Credentials): Promise<Caller> {
  if (credentials.scheme === "DPoP") await offerNonce(c);
  return gate.authenticate(c.get("instance"), credentials);
}

/** The credentials of a request, each of which is read only when the gate needs it: a token that is recognised needs no other. */
class RequestCredentials implements Credentials {
  readonly #context: ContextOf<GateEnv>;
  readonly #authorization: string | undefined;
  readonly isAtMcp: boolean;

  constructor(context: ContextOf<GateEnv>, isAtMcp: boolean) {
    this.#context = context;
    this.isAtMcp = isAtMcp;
    this.#authorization = context.req.header("authorization");
  }

  get presented(): string | undefined {
    return this.#authorization?.startsWith("Bearer ") ? this.#authorization.slice("Bearer ".length) : undefined;
  }

  get token(): string | undefined {
    return readBearerOrBound(this.#authorization);
  }

  get scheme(): TokenScheme {
    return schemeOf(this.#authorization);
  }

  get proved(): ProvedRequest {
    return provedRequest(this.#context);
  }

  get authTypeHeader(): string {
    return this.#context.get("services").serviceWords.authTypeHeader;
  }

  get announcedAsExternal(): boolean {
    return this.#context.req.header(this.authTypeHeader)?.trim().toUpperCase() === "OAUTH";
  }

  get address(): string {
    return callerAddress(this.#context);
  }

  get waitUntil(): WaitUntil {
    return waitUntil(this.#context);
  }
}

/** What the gates of service-issued tokens work with. */
export interface ServiceTokenServices {
  readonly serviceTokens: ServiceTokens;
}

/** Lets a request to the Indexing API pass with a pipeline's token. */
export const indexingGate = createMiddleware<IndexingEnv<ServiceTokenServices>>(async (c, next) => {
  c.get("frame").challenge = challengeOf("Indexing API");
  const { instance, services } = c.var;
  const { id, scopes } = await requireServiceToken(services.serviceTokens, "indexing", instance, serviceCredentials(c));
  c.set("indexingTokenId", id);
  c.set("indexingScopes", scopes);
  await next();
});

/** Accepts a request with a service-issued token, at a limited rate. Refusals count per address, so that nobody can guess tokens. */
export async function acceptServiceToken(
  c: ContextOf<InstanceEnv<ServiceTokenServices>>,
  kind: "admin" | "scim",
): Promise<ServiceToken> {
  const api = kind === "admin" ? "admin-api" : "scim";
  const { serviceTokens } = c.get("services");
  const accepted = await requireServiceToken(serviceTokens, kind, c.get("instance"), serviceCredentials(c)).catch(
    async (error: unknown) => {
      await requireWithinRate(c, `${api}-refusal`);
      throw error;
    },
  );
  await requireWithinRate(c, api, { token: accepted.id });
  return accepted;
}

function serviceCredentials(c: RequestContext): ServiceTokenCredentials {
  return { token: readBearer(c.req.header("authorization")), address: callerAddress(c), waitUntil: waitUntil(c) };
}

/** Makes the challenge of an API that has no authorization server: a realm, and the scopes of a token that would pass. */
export function challengeOf(realm: string) {
  return (refusal: Refusal): string => {
    const { error: code, description } = challengeError(refusal);
    const parameters = [`realm="${realm}"`];
    if (code) parameters.push(`error="${code}"`, `error_description="${description}"`);
    if (refusal.scopes) parameters.push(`scope="${refusal.scopes.join(" ")}"`);
    return `Bearer ${parameters.join(", ")}`;
  };
}

/** Checks whether the DPoP proof was refused, which has its own error codes (RFC 9449 §7.1). */
function isOfProof({ code }: Refusal): boolean {
  return code === "invalid_dpop_proof" || code === "use_dpop_nonce";
}

/** Checks whether a token that was sent as Bearer must be sent as DPoP. */
function isForDpop({ reason }: Refusal): boolean {
  return reason === "token_bound_sent_as_bearer" || reason === "token_must_be_bound";
}

/** Returns the error code of RFC 6750 §3.1; none if no credential was sent, because then nothing is wrong with it. */
function challengeError(refusal: Refusal): { error?: string; description?: string } {
  if (refusal.code === "unauthorized") return {};
  const code = refusal.status === 401 && !isOfProof(refusal) ? "invalid_token" : refusal.code;
  return { error: code, description: refusal.description };
}
