import { http } from "#platform/http.ts";
import { ApiError, type Refusal } from "#protocol/errors.ts";
import { formatChallenge } from "#protocol/challenge.ts";
import { ROUTE_SCOPES, type ClientApiRoute } from "#resource-server/authorization/route-scopes.ts";
import { RESOURCE_METADATA_PATH } from "#resource-server/discovery/resource-metadata.ts";
import { readBearer } from "./bearer.ts";

/** Lets a request to this route of the Client API pass as the person whose token it carries, if its scopes suffice. */
export function clientApiGate(route: ClientApiRoute) {
  const scope = ROUTE_SCOPES[route];
  return http.createMiddleware(async (c, next) => {
    const { instance, services } = c.var;
    c.set("challenge", (refusal) =>
      formatChallenge({
        resourceMetadata: instance.issuer + RESOURCE_METADATA_PATH,
        scopes: [scope],
        ...challengeError(refusal),
      }),
    );
    const authTypeHeader = `X-${c.env.SERVICE_NAME}-Auth-Type`;
    const caller = await services.clientApiGate.authenticate(instance, {
      token: readBearer(c.req.header("authorization")),
      announcedAsExternal: c.req.header(authTypeHeader)?.trim().toUpperCase() === "OAUTH",
      authTypeHeader,
    });
    if (!caller.scopes.has(scope)) {
      throw new ApiError("insufficient_scope", {
        reason: "scope_missing",
        description: `The token lacks the scope ${scope}: authorize again and ask for it`,
      });
    }
    c.set("personId", caller.personId);
    await next();
  });
}

/** Lets a request to the Indexing API pass with a pipeline's token. */
export const indexingGate = http.createMiddleware(async (c, next) => {
  c.set("challenge", (refusal) => {
    const { error: code, description } = challengeError(refusal);
    const parameters = ['realm="Indexing API"'];
    if (code) parameters.push(`error="${code}"`, `error_description="${description}"`);
    return `Bearer ${parameters.join(", ")}`;
  });
  const token = readBearer(c.req.header("authorization"));
  c.set("indexingScopes", await c.var.services.indexingGate.authenticate(c.var.instance, token));
  await next();
});

/** RFC 6750 §3.1's codes; nothing where no credential was sent, for then nothing is wrong with it. */
function challengeError(refusal: Refusal): { error?: string; description?: string } {
  if (refusal.code === "unauthorized") return {};
  const code = refusal.status === 401 ? "invalid_token" : refusal.code;
  return { error: code, description: refusal.description };
}
