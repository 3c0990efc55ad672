import { authorizationServerMetadata } from "#authorization-server/discovery/metadata.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { DPOP_ALGORITHMS, type TokenScheme } from "#dpop/dpop-proof.ts";
import { offerNonce, provedRequest } from "#dpop/proof-middleware.ts";
import { noStore } from "#platform/http.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { SIGNING_ALGORITHM } from "#crypto/signing-key.ts";
import { createFactory } from "#platform/handlers.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { readUserInfo } from "./userinfo.ts";

const http = createFactory<InstanceEnv<OAuthServices>>();

/** GET /.well-known/openid-configuration: OpenID Connect Discovery §4, a superset of the authorization server's metadata. */
export const openidConfigurationEndpoint = http.createHandlers((c) => {
  const { instance } = c.var;
  c.header("Cache-Control", "public, max-age=10");
  return c.json({
    ...authorizationServerMetadata(instance),
    userinfo_endpoint: instance.issuer + ENDPOINTS.userInfo,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
    claims_supported: ["iss", "sub", "aud", "exp", "iat", "nonce", "at_hash", "name", "email", "email_verified"],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  });
});

/** GET and POST /oauth/userinfo (OpenID Connect Core §5.3.1). */
export const userInfoEndpoint = http.createHandlers(noStore, async (c) => {
  const [, word = "", token] =
    /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  const scheme: TokenScheme = word.toLowerCase() === "dpop" ? "DPoP" : "Bearer";
  c.get("frame").challenge = ({ status, code }) => {
    const algorithms = scheme === "DPoP" ? `, algs="${DPOP_ALGORITHMS.join(" ")}"` : "";
    if (code === "unauthorized") return "Bearer";
    return `${scheme} error="${code}"${status === 403 ? ', scope="openid"' : ""}${algorithms}`;
  };
  if (scheme === "DPoP") await offerNonce(c);
  const use = token === undefined ? undefined : { scheme, token, proved: () => provedRequest(c) };
  return c.json(await readUserInfo(c.var.services, c.var.instance, use));
});
