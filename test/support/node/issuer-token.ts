import { importJWK, SignJWT } from "jose";
import { inject } from "vitest";

/** Publishes an identity provider that really responds, under a name that no other test uses. */
export async function publishIssuer(): Promise<string> {
  const { keys, origin } = inject("issuers");
  const name = crypto.randomUUID();
  const published = { keys: [keys["rsa"]?.publicJwk] };
  const response = await fetch(`${origin}/control/${name}`, { method: "PUT", body: JSON.stringify(published) });
  if (response.status !== 200) throw new Error(`the issuer's control answered ${response.status}`);
  return `${origin}/${name}`;
}

/** Signs a token of such a provider, for a person of the local organisation. */
export async function signToken(issuer: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const key = inject("issuers").keys["rsa"];
  if (!key) throw new Error("there is no key rsa");
  const { privateJwk, algorithm } = key;
  return new SignJWT({ email: "ben@acme.example", email_verified: true, ...claims })
    .setProtectedHeader({ alg: algorithm, typ: "at+jwt", kid: privateJwk.kid })
    .setIssuer(issuer)
    .setSubject("00u-ben")
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(await importJWK(privateJwk, algorithm));
}
