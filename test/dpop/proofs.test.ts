import { Keyring } from "#crypto/keyring.ts";
import { sha256 } from "#crypto/secrets.ts";
import { DpopNonces } from "#dpop/nonces.ts";
import { DpopProofs } from "#dpop/dpop-proofs.ts";
import { isSameTarget } from "#dpop/dpop-proof.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { base64url, SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DpopKey, type ProofChanges } from "../support/dpop-key.ts";
import { putTogether, takeApart } from "../support/forged-tokens.ts";
import { timeIs } from "../support/time.ts";

const ISSUER = "https://acme.example";
const URL_OF_TOKEN = `${ISSUER}/oauth/token`;
const KEYRING = new Keyring(`test:${base64url.encode(new Uint8Array(32).fill(7))}`);

let now: number;

const proofsOfIsolate = () => new DpopProofs(new DpopNonces(KEYRING));

function instance(dpopNonceRequired = true, issuer = ISSUER): RequestInstance {
  return { issuer, policy: { settings: { dpopNonceRequired } } } as RequestInstance;
}

describe("DPoP proofs of a key (RFC 9449 §4.3)", () => {
  let key: DpopKey;
  let rsa: DpopKey;
  let proofs: DpopProofs;

  beforeAll(async () => {
    key = await DpopKey.make();
    rsa = await DpopKey.make("PS256");
  });
  beforeEach(() => {
    now = Math.floor(Date.now() / 1000);
    timeIs(() => now);
    proofs = proofsOfIsolate();
  });

  async function fresh({ claims, header }: ProofChanges = {}, by = key): Promise<string> {
    const nonce = await proofs.nonce(instance());
    return by.proof({ claims: { htu: URL_OF_TOKEN, iat: now, nonce, ...claims }, ...(header && { header }) });
  }

  /** Checks a proof, without an access token as the token endpoint does. */
  async function check(proof: string | undefined, accessToken?: string, by = proofs, of = instance()) {
    const proved = { proof, method: "POST", url: URL_OF_TOKEN };
    if (proof !== undefined && accessToken === undefined) return by.keyOfClient(of, proved);
    const use = { scheme: "DPoP", token: accessToken ?? "token", proved: () => proved } as const;
    await by.requireHolder(of, use, key.thumbprint);
    return key.thumbprint;
  }

  it.each(["ES256", "PS256", "EdDSA", "Ed25519"])(
    "are accepted with %s, and name the key by its thumbprint",
    async (algorithm) => {
      const own = await DpopKey.make(algorithm);
      expect(await check(await fresh({}, own))).toBe(own.thumbprint);
    },
  );

  it.each<[what: string, reason: string, make: () => Promise<string | undefined>]>([
    ["none", "dpop_proof_malformed", async () => undefined],
    ["an empty header", "dpop_proof_malformed", async () => ""],
    ["two headers", "dpop_proof_malformed", async () => `${await fresh()}, ${await fresh()}`],
    ["a huge header", "dpop_proof_malformed", () => fresh({ claims: { padding: "x".repeat(4000) } })],
    ["an unsigned JWT", "dpop_proof_malformed", async () => `${(await fresh()).split(".").slice(0, 2).join(".")}.`],
    ["another type", "dpop_proof_type_wrong", () => fresh({ header: { typ: "JWT" } })],
    ["no type", "dpop_proof_type_wrong", () => fresh({ header: { typ: undefined } })],
    ["alg none", "dpop_algorithm_not_allowed", async () => withHeader(await fresh(), { alg: "none" })],
    ["RS256, which is not listed", "dpop_algorithm_not_allowed", async () => fresh({}, await DpopKey.make("RS256"))],
    ["ES384", "dpop_algorithm_not_allowed", async () => fresh({}, await DpopKey.make("ES384"))],
    [
      "a symmetric algorithm",
      "dpop_algorithm_not_allowed",
      () =>
        new SignJWT({ jti: "a", htm: "POST", htu: URL_OF_TOKEN, iat: now })
          .setProtectedHeader({ typ: "dpop+jwt", alg: "HS256", jwk: { kty: "oct" } })
          .sign(new Uint8Array(32)),
    ],
    ["no key", "dpop_key_unusable", () => fresh({ header: { jwk: undefined } })],
    ["a symmetric key", "dpop_key_private", () => fresh({ header: { jwk: { kty: "oct", k: "c2VjcmV0" } } })],
    ["a private key", "dpop_key_private", () => fresh({ header: { jwk: { ...key.publicJwk, d: "AA" } } })],
    [
      "half of a private RSA key",
      "dpop_key_private",
      () => fresh({ header: { jwk: { ...rsa.publicJwk, dp: "AA" } } }, rsa),
    ],
    ["a key of another algorithm", "dpop_key_unusable", () => fresh({ header: { jwk: rsa.publicJwk } })],
    ["a key in another spelling", "dpop_key_unusable", () => fresh({ header: { jwk: respelt(key.publicJwk.x) } })],
    [
      "somebody else's key",
      "dpop_signature_wrong",
      async () => fresh({ header: { jwk: (await DpopKey.make()).publicJwk } }),
    ],
    ["a key by its address", "dpop_signature_wrong", () => fresh({ header: { jku: "https://attacker.example/keys" } })],
    ["an extension", "dpop_signature_wrong", async () => withHeader(await fresh(), { crit: ["b64"], b64: true })],
    ["an altered claim", "dpop_signature_wrong", async () => withClaims(await fresh(), { htm: "POST" })],
    ["no jti", "dpop_claims_malformed", () => fresh({ claims: { jti: undefined } })],
    ["an empty jti", "dpop_claims_malformed", () => fresh({ claims: { jti: "" } })],
    ["a long jti", "dpop_claims_malformed", () => fresh({ claims: { jti: "x".repeat(129) } })],
    ["no iat", "dpop_claims_malformed", () => fresh({ claims: { iat: undefined } })],
    ["an iat that is a text", "dpop_claims_malformed", () => fresh({ claims: { iat: String(now) } })],
    ["another method", "dpop_method_wrong", () => fresh({ claims: { htm: "GET" } })],
    ["the method in small letters", "dpop_method_wrong", () => fresh({ claims: { htm: "post" } })],
    ["HEAD", "dpop_method_wrong", () => fresh({ claims: { htm: "HEAD" } })],
    ["no URL", "dpop_url_wrong", () => fresh({ claims: { htu: undefined } })],
    ["another URL", "dpop_url_wrong", () => fresh({ claims: { htu: `${ISSUER}/oauth/par` } })],
    ["a time long ago", "dpop_proof_stale", () => fresh({ claims: { iat: now - 301 } })],
    ["a time to come", "dpop_proof_stale", () => fresh({ claims: { iat: now + 301 } })],
    ["a time long before", "dpop_proof_stale", () => fresh({ claims: { iat: 1 } })],
  ])("are refused with %s: %s", async (_what, reason, make) => {
    await expect(check(await make())).rejects.toMatchObject({ code: "invalid_dpop_proof", reason });
  });

  it("are accepted once, whatever the clock of the sender says", async () => {
    const ahead = await fresh({ claims: { iat: now + 290 } });
    expect(await check(ahead)).toBe(key.thumbprint);
    await expect(check(ahead)).rejects.toMatchObject({ reason: "dpop_proof_replayed" });
    now += 100;
    await expect(check(ahead)).rejects.toMatchObject({ code: /invalid_dpop_proof|use_dpop_nonce/ });
  });

  it("are not remembered if they are refused, and the same id of two keys counts as different", async () => {
    const jti = "the same";
    await expect(check(await fresh({ claims: { jti, htm: "GET" } }))).rejects.toThrow();
    expect(await check(await fresh({ claims: { jti } }))).toBe(key.thumbprint);
    expect(await check(await fresh({ claims: { jti } }, rsa))).toBe(rsa.thumbprint);
  });

  it.each<[who: string, send: (proofs: DpopProofs) => Promise<unknown>]>([
    ["who have no token, at the token endpoint", async (by) => check(await fresh({}, rsa), undefined, by)],
    [
      "who have a token, but not its key",
      async (by) => {
        const proof = await fresh({ claims: { ath: await sha256("token") } }, rsa);
        await expect(check(proof, "token", by)).rejects.toMatchObject({ reason: "dpop_key_differs" });
      },
    ],
  ])("of a holder are not forgotten because of proofs of others %s", async (_who, send) => {
    const smallIsolate = new DpopProofs(new DpopNonces(KEYRING), 3);
    const proof = await fresh({ claims: { ath: await sha256("token") } });
    expect(await check(proof, "token", smallIsolate)).toBe(key.thumbprint);
    for (let sent = 0; sent < 4; sent++) await send(smallIsolate);
    await expect(check(proof, "token", smallIsolate)).rejects.toMatchObject({ reason: "dpop_proof_replayed" });
  });

  it("are accepted for one of two requests that send the same one at once", async () => {
    const proof = await fresh({ claims: { ath: await sha256("token") } });
    const outcomes = await Promise.allSettled([check(proof, "token"), check(proof, "token")]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("have to name the access token that they are used with", async () => {
    const proof = () => fresh();
    await expect(check(await proof(), "token")).rejects.toMatchObject({ reason: "dpop_token_hash_wrong" });
    const other = await fresh({ claims: { ath: await sha256("another") } });
    await expect(check(other, "token")).rejects.toMatchObject({ reason: "dpop_token_hash_wrong" });
    expect(await check(await fresh({ claims: { ath: await sha256("token") } }), "token")).toBe(key.thumbprint);
  });

  it("need one of the instance's own current nonces (RFC 9449 §8)", async () => {
    const refusal = (reason: string) => ({ code: "use_dpop_nonce", reason });
    await expect(check(await fresh({ claims: { nonce: undefined } }))).rejects.toMatchObject(
      refusal("dpop_nonce_missing"),
    );
    for (const nonce of ["", "x", 7, null]) {
      await expect(check(await fresh({ claims: { nonce } }))).rejects.toMatchObject(refusal("dpop_nonce_stale"));
    }
    const elsewhere = await proofs.nonce(instance(true, "https://other.example"));
    await expect(check(await fresh({ claims: { nonce: elsewhere } }))).rejects.toMatchObject(
      refusal("dpop_nonce_stale"),
    );
  });

  it("may use a nonce for at least one minute and at most two, in every isolate", async () => {
    now -= now % 60;
    const [early, late, tooLate] = [await fresh(), await fresh(), await fresh()];
    const elsewhere = proofsOfIsolate();
    now += 59;
    expect(await check(early, undefined, elsewhere)).toBe(key.thumbprint);
    now += 60;
    expect(await check(late, undefined, elsewhere)).toBe(key.thumbprint);
    now += 1;
    await expect(check(tooLate, undefined, elsewhere)).rejects.toMatchObject({ reason: "dpop_nonce_stale" });
  });

  it("without nonces are accepted for a minute, and not from the future", async () => {
    const without = (iat: number) => fresh({ claims: { nonce: undefined, iat } });
    const plain = instance(false);
    expect(await check(await without(now - 60), undefined, proofs, plain)).toBe(key.thumbprint);
    expect(await check(await without(now + 10), undefined, proofs, plain)).toBe(key.thumbprint);
    for (const iat of [now - 61, now + 11]) {
      const refused = check(await without(iat), undefined, proofs, plain);
      await expect(refused).rejects.toMatchObject({ reason: "dpop_proof_stale" });
    }
    const wrong = check(await fresh({ claims: { nonce: "x" } }), undefined, proofs, plain);
    await expect(wrong).rejects.toMatchObject({ reason: "dpop_nonce_stale" });
  });

  it("are remembered by each isolate: another one accepts the same proof until its nonce expires", async () => {
    const proof = await fresh();
    await check(proof);
    const elsewhere = proofsOfIsolate();
    expect(await check(proof, undefined, elsewhere)).toBe(key.thumbprint);
    now += 120;
    await expect(check(proof, undefined, proofsOfIsolate())).rejects.toMatchObject({ reason: "dpop_nonce_stale" });
  });
});

describe("the target of a proof (RFC 9449 §4.3, RFC 3986 §6.2)", () => {
  const target = `${ISSUER}/oauth/token`;

  it.each([
    target,
    "https://acme.example:443/oauth/token",
    "HTTPS://ACME.example/oauth/token",
    "https://acme.example/oauth/token?a=b#c",
    "https://acme.example/oauth/%74oken",
    "https://acme.example/oauth/x/../token",
    "https://acme.example/oauth/%2e/token",
  ])("is the same in %s", (htu) => expect(isSameTarget(htu, target)).toBe(true));

  it.each([
    "https://acme.example:8443/oauth/token",
    "http://acme.example/oauth/token",
    "https://other.example/oauth/token",
    "https://acme.example.attacker.example/oauth/token",
    "https://acme.example@attacker.example/oauth/token",
    "https://user@acme.example/oauth/token",
    "https://acme.example/oauth/Token",
    "https://acme.example/oauth/token/",
    "https://acme.example//oauth/token",
    "https://acme.example/oauth%2Ftoken",
    "https://acme.example/oauth/token%20",
    "/oauth/token",
    "//acme.example/oauth/token",
    "acme.example/oauth/token",
    "",
    undefined,
    [target],
  ])("is different in %s", (htu) => expect(isSameTarget(htu, target)).toBe(false));

  it("distinguishes escapes that have a meaning, but not their case", () => {
    expect(isSameTarget(`${ISSUER}/a%2fb`, `${ISSUER}/a%2Fb`)).toBe(true);
    expect(isSameTarget(`${ISSUER}/a%2Fb`, `${ISSUER}/a/b`)).toBe(false);
  });
});

/** Spells a coordinate differently, with the same bytes. */
function respelt(x = ""): Record<string, unknown> {
  return { kty: "EC", crv: "P-256", x: `${x}=`, y: x };
}

function withHeader(token: string, changes: Readonly<Record<string, unknown>>): string {
  const { header, claims, signature } = takeApart(token);
  return putTogether({ ...header, ...changes }, claims, signature);
}

function withClaims(token: string, changes: Readonly<Record<string, unknown>>): string {
  const { header, claims, signature } = takeApart(token);
  return putTogether(header, { more: 1, ...claims, ...changes }, signature);
}
