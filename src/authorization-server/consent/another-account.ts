import type { AuthorizationRequest } from "#authorization-requests/authorization-request.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { withParameters } from "#protocol/redirect-uri.ts";

/** Returns the URL that repeats an app's request for another account: the SSO lets the person choose one. */
export function withAnotherAccount(request: AuthorizationRequest): string {
  return withParameters(request.issuer + ENDPOINTS.authorization, {
    response_type: "code",
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    scope: request.scope.join(" "),
    state: request.state,
    resource: request.resource,
    code_challenge: request.codeChallenge,
    code_challenge_method: "S256",
    dpop_jkt: request.keyThumbprint,
    nonce: request.nonce,
    max_age: request.maxAge,
    ui_locales: request.uiLocales,
    prompt: "select_account",
  });
}
