import type { ClientKind } from "#clients/client.ts";
import { randomId } from "#crypto/random.ts";
import { type SigningKey, signJwt } from "#crypto/signing-key.ts";

/** RFC 9068 §2.1: no ID token, and nothing else that this issuer signs, has this type. */
export const ACCESS_TOKEN_TYPE = "at+jwt";

export interface AccessTokenContent {
  readonly issuer: string;
  readonly resource: string;
  readonly personId: string;
  readonly clientId: string;
  readonly clientKind: ClientKind;
  readonly grantId: string;
  readonly scope: string;
  readonly issuedAt: number;
  readonly lifetimeSeconds: number;
}

/** A signed access token (RFC 9068 §2.2). `grant_id` lets the resource server hear of the grant's end, and
 * `client_kind` whether the set for clients that registered themselves bounds it. */
export function makeAccessToken(key: SigningKey, content: AccessTokenContent): Promise<string> {
  return signJwt(key, ACCESS_TOKEN_TYPE, {
    iss: content.issuer,
    sub: content.personId,
    aud: content.resource,
    exp: content.issuedAt + content.lifetimeSeconds,
    iat: content.issuedAt,
    nbf: content.issuedAt,
    jti: randomId(),
    client_id: content.clientId,
    client_kind: content.clientKind,
    scope: content.scope,
    grant_id: content.grantId,
  });
}
