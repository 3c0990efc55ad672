import type { InstanceRecord } from "#instance/instances.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { servicesOf } from "#services.ts";
import { inject } from "vitest";
import { TokenForge } from "./forged-tokens.ts";
import { env } from "./isolate.ts";
import type { IssuerCounts, IssuerKey, IssuerState } from "./provided.d.ts";

type Json = Readonly<Record<string, unknown>>;

/** The names of the keys that test issuers sign with; see node/issuers-setup.ts. */
export type KeyName = "rsa" | "rsaNext" | "rsaWeak" | "ec" | "ecNext" | "p384" | "p521" | "ed25519";

/** The header that announces an identity provider's token. */
export const ANNOUNCED = { "X-Gatehouse-Auth-Type": "OAUTH" };

/** The audience of test issuers' tokens, and the client that they were issued to. */
export const AUDIENCE = "api://gatehouse";
export const CLIENT_ID = "portal";

export function keyOf(name: KeyName): IssuerKey {
  const key = inject("issuers").keys[name];
  if (!key) throw new Error(`there is no key ${name}`);
  return key;
}

/** The email domains of test issuers. */
const EMAIL_DOMAINS = { emailDomains: ["acme.example"] };

/** Removes all issuers of an instance, because their number is limited. */
export async function removeIssuers(instance: InstanceRecord): Promise<void> {
  const { administrationOf, externalIssuers, policySnapshots } = servicesOf(env);
  for (const { configuration } of await externalIssuers.list(instance.id)) {
    await administrationOf(instance, "test").issuers.remove(configuration.issuer);
  }
  policySnapshots.expire(instance.name);
}

/** An identity provider that really responds, and that no other test uses. */
export class TestIssuer {
  readonly url: string;
  readonly #control: string;

  private constructor() {
    const { origin } = inject("issuers");
    const name = crypto.randomUUID();
    this.url = `${origin}/${name}`;
    this.#control = `${origin}/control/${name}`;
  }

  /** @param keys the keys that it publishes, by name, or as JWKs */
  static async publishing(...keys: readonly (KeyName | Json)[]): Promise<TestIssuer> {
    const issuer = new TestIssuer();
    await issuer.publish(...keys);
    return issuer;
  }

  async publish(...keys: readonly (KeyName | Json)[]): Promise<void> {
    await this.set({ keys: keys.map((key) => (typeof key === "string" ? keyOf(key).publicJwk : key)) });
  }

  /** Changes what it publishes or how it fails, from now on. */
  async set(changes: Partial<IssuerState>): Promise<void> {
    const response = await fetch(this.#control, { method: "PUT", body: JSON.stringify(changes) });
    if (response.status !== 200) throw new Error(`the issuer's control answered ${response.status}`);
  }

  /** Returns how often each of its documents was requested. */
  async counts(): Promise<IssuerCounts> {
    return (await fetch(this.#control)).json<IssuerCounts>();
  }

  /** Makes an instance accept its tokens, which this isolate sees at once. */
  async register(instance: InstanceRecord, changes: IssuerDraft = {}): Promise<void> {
    const { administrationOf, policySnapshots } = servicesOf(env);
    const draft = {
      issuer: this.url,
      name: "IdP",
      clientIds: [CLIENT_ID],
      audiences: [AUDIENCE],
      scopes: ["SEARCH"],
      ...EMAIL_DOMAINS,
    };
    await administrationOf(instance, "test").issuers.register({ ...draft, ...changes });
    policySnapshots.expire(instance.name);
  }

  /** Returns the claims of a good token of Ben's. */
  claims(): Json {
    const now = Math.floor(Date.now() / 1000);
    return {
      iss: this.url,
      sub: "00u-ben",
      aud: AUDIENCE,
      azp: CLIENT_ID,
      email: "ben@acme.example",
      email_verified: true,
      iat: now - 1,
      exp: now + 3600,
    };
  }

  /** Returns a forge that signs with one of its keys. */
  async forge(name: KeyName = "rsa", algorithm = keyOf(name).algorithm): Promise<TokenForge> {
    const { privateJwk } = keyOf(name);
    const header = { alg: algorithm, typ: "at+jwt", kid: privateJwk.kid };
    const key = await crypto.subtle.importKey("jwk", privateJwk, importParameters(algorithm), false, ["sign"]);
    return new TokenForge(header, this.claims(), key);
  }

  /** Signs a token with other claims than usual; `undefined` leaves one out. */
  async token(changes: Json = {}, name: KeyName = "rsa", algorithm = keyOf(name).algorithm): Promise<string> {
    // Another email belongs to another account, unless the test says otherwise.
    const { email } = changes;
    const account = typeof email === "string" && email !== "ben@acme.example" ? { sub: `00u-${email}` } : {};
    return (await this.forge(name, algorithm)).withClaims({ ...account, ...changes });
  }
}

function importParameters(algorithm: string): SubtleCryptoImportKeyAlgorithm {
  const hash = `SHA-${algorithm.slice(2)}`;
  if (algorithm.startsWith("RS")) return { name: "RSASSA-PKCS1-v1_5", hash };
  if (algorithm.startsWith("PS")) return { name: "RSA-PSS", hash };
  const curves: Record<string, string> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
  const namedCurve = curves[algorithm];
  return namedCurve === undefined ? { name: "Ed25519" } : { name: "ECDSA", namedCurve };
}
