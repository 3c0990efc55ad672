import { base64url } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { countsAttacks, outcomeOf, refusesAnnounced } from "../support/external-attacks.ts";
import { makeForgeryScene, makeStranger } from "../support/forgery.ts";
import { putTogether, signingInput, type TokenForge } from "../support/forged-tokens.ts";
import {
  type Attack,
  type JwtScene,
  repetitionAttacks,
  serialisationAttacks,
  timeAttacks,
} from "../support/jwt-attacks.ts";
import { algorithmAttacks, cutAttacks, ecdsaAttacks, keyAttacks } from "../support/signature-attacks.ts";
import { AUDIENCE, CLIENT_ID, keyOf, TestIssuer } from "../support/test-issuer.ts";
import { ORIGIN } from "../support/world.ts";

type Json = Readonly<Record<string, unknown>>;

const ENCRYPTION_KID = "key-encryption";
const WRAPPING_KID = "key-wrapping";

/** Registered with RS256, PS256 and ES256, for one audience. */
let issuer: TestIssuer;
/** Registered for any audience, with the same applications. */
let open: TestIssuer;
/** Also registered, with different keys. */
let neighbour: TestIssuer;
/** Publishes the same keys as `issuer`, but isn't registered. */
let unregistered: TestIssuer;
let rsa: JwtScene;
let ec: JwtScene;
/** The authorization server's own tokens. */
let own: JwtScene;

beforeAll(async () => {
  const scene = await makeForgeryScene();
  own = scene;
  const acme = scene.instance;
  const encryption = { ...keyOf("rsaNext").publicJwk, kid: ENCRYPTION_KID, use: "enc" };
  const wrapping = { ...keyOf("rsaNext").publicJwk, kid: WRAPPING_KID, use: undefined, key_ops: ["wrapKey"] };
  issuer = await TestIssuer.publishing("rsa", "ec", "p384", "rsaWeak", encryption, wrapping);
  open = await TestIssuer.publishing("rsa");
  neighbour = await TestIssuer.publishing("rsaNext", "ecNext");
  unregistered = await TestIssuer.publishing("rsa", "ec");
  const algorithms = ["RS256", "PS256", "ES256"];
  await issuer.register(acme, { algorithms });
  await open.register(acme, { audiences: [] });
  await neighbour.register(acme, { algorithms });
  rsa = {
    genuine: await issuer.token(),
    forge: await issuer.forge(),
    foreign: await neighbour.forge("rsaNext"),
    publicJwk: keyOf("rsa").publicJwk,
    ...(await makeStranger("RS256")),
  };
  ec = {
    genuine: await issuer.token({}, "ec"),
    forge: await issuer.forge("ec"),
    foreign: await neighbour.forge("ecNext"),
    publicJwk: keyOf("ec").publicJwk,
    ...(await makeStranger("ES256")),
  };
});

countsAttacks(250);

/** Makes an attack from a good token in which only these claims are changed; `undefined` leaves a claim out. */
const claims = (what: string, changes: () => Json, forge: () => TokenForge = () => rsa.forge): Attack => [
  what,
  () => forge().withClaims(changes()),
];

describe("external tokens before an attack changes them", () => {
  it("are accepted, so that each refusal below has one cause", async () => {
    for (const { genuine, forge } of [rsa, ec]) {
      expect(await outcomeOf(genuine)).toEqual([200]);
      expect(await outcomeOf(await forge.withClaims({}))).toEqual([200]);
      expect(await outcomeOf(await forge.sign(JSON.stringify(forge.header), JSON.stringify(forge.claims)))).toEqual([
        200,
      ]);
    }
    expect(await outcomeOf(await open.token({ aud: "api://anything" }))).toEqual([200]);
    expect(await outcomeOf(await neighbour.token({}, "rsaNext"))).toEqual([200]);
  });
});

describe("external tokens: signature algorithm (RFC 8725 §3.1)", () => {
  const others = ["RS384", "RS512", "PS256", "PS384", "ES256", "EdDSA", "rs256", "RS256 ", ""];
  refusesAnnounced(algorithmAttacks(() => rsa, others));
});

describe("external tokens signed with elliptic curves: signature algorithm (RFC 8725 §3.1)", () => {
  refusesAnnounced(algorithmAttacks(() => ec, ["RS256", "PS256", "ES384", "ES512", "EdDSA", "es256"]));
});

describe("external tokens: keys that the token itself contains or refers to (RFC 8725 §3.5, §3.10)", () => {
  refusesAnnounced(keyAttacks(() => rsa));
});

describe("external tokens: keys for another use, algorithm or issuer (RFC 7517 §4.2, §4.3, RFC 7518 §3.3)", () => {
  const signed = async (key: "rsa" | "rsaNext" | "rsaWeak" | "ec" | "p384", header: Json, algorithm?: string) =>
    (await issuer.forge(key, algorithm)).withHeader(header);
  refusesAnnounced([
    ["a key whose use is encryption", () => signed("rsaNext", { kid: ENCRYPTION_KID })],
    ["a key whose operations are others", () => signed("rsaNext", { kid: WRAPPING_KID })],
    ["an RSA key of 1024 bits", () => signed("rsaWeak", {})],
    ["RS256 under the kid of an EC key", () => signed("rsa", { kid: "key-ec" })],
    ["ES256 under the kid of an RSA key", () => signed("ec", { kid: "key-rsa" })],
    ["an EC signature under RS256", () => signed("ec", { alg: "RS256" })],
    ["an RSA signature under ES256", () => signed("rsa", { alg: "ES256", kid: "key-ec" })],
    ["a key on a curve that ES256 has not", () => signed("p384", { alg: "ES256" })],
    ["PKCS#1 v1.5 under PS256", () => signed("rsa", { alg: "PS256" })],
    ["PSS under RS256", () => signed("rsa", { alg: "RS256" }, "PS256")],
    ["PSS with another hash under PS256", () => signed("rsa", { alg: "PS256" }, "PS384")],
    ["PKCS#1 v1.5 with another hash under RS256", () => signed("rsa", { alg: "RS256" }, "RS512")],
    ["an algorithm that the issuer's list lacks, although the key signed", () => signed("rsa", {}, "RS512")],
    ["ES384, which the list lacks, by a published key", () => signed("p384", {})],
    [
      "the authorization server's own key under the issuer's kid",
      () => own.forge.sign(ec.forge.header, ec.forge.claims),
    ],
    ["another instance's own key", () => own.foreign.sign(own.foreign.header, ec.forge.claims)],
    [
      "a neighbour's token that names this issuer",
      async () => (await neighbour.forge("rsaNext")).withClaims({ iss: issuer.url }),
    ],
    ["this issuer's token that names its neighbour", () => rsa.forge.withClaims({ iss: neighbour.url })],
  ]);
  refusesAnnounced(
    [["the authorization server's own key under its kid", () => own.forge.sign(own.forge.header, ec.forge.claims)]],
    [401, "invalid_token"],
    [401, "invalid_token"],
  );
});

describe("external tokens: the signature itself (RFC 7518 §3.3, §3.4)", () => {
  const withSignature = (bytes: Uint8Array) => putTogether(rsa.forge.header, rsa.forge.claims, bytes);
  const modulus = () => base64url.decode(rsa.publicJwk.n ?? "");
  refusesAnnounced(ecdsaAttacks(() => ec).map(([what, make]) => [`by ES256: ${what}`, make]));
  refusesAnnounced(cutAttacks(() => rsa).map(([what, make]) => [`by RS256: ${what}`, make]));
  refusesAnnounced([
    ["an RSA signature of zeros", () => withSignature(new Uint8Array(256))],
    ["an RSA signature of 1", () => withSignature(Uint8Array.from({ length: 256 }, (_, at) => (at === 255 ? 1 : 0)))],
    ["an RSA signature that is the modulus", () => withSignature(modulus())],
    [
      "an RSA signature of the modulus less one",
      () => withSignature(modulus().map((byte, at) => (at === 255 ? byte - 1 : byte))),
    ],
    [
      "a digest that nobody signed",
      async () => withSignature(await paddedDigest(signingInput(rsa.forge.header, rsa.forge.claims))),
    ],
  ]);
});

describe("external tokens: extensions and serialisations (RFC 7515 §4.1.11, §7)", () => {
  refusesAnnounced(serialisationAttacks(() => rsa));
  refusesAnnounced([
    ["a token of 16 KB and one character", () => ofLength(16 * 1024 + 1)],
    ["a header that is no JSON", () => rsa.forge.sign(`${JSON.stringify(rsa.forge.header)},`, rsa.forge.claims)],
    ["a header that is an array", () => rsa.forge.sign(JSON.stringify([rsa.forge.header]), rsa.forge.claims)],
    ["claims that are null", () => rsa.forge.sign(rsa.forge.header, "null")],
    [
      "a genuine encrypted token's form",
      () => `${base64url.encode('{"alg":"RSA-OAEP-256","enc":"A256GCM"}')}.AAAA.AAAA.AAAA.AAAA`,
    ],
    ["alg in letters that look like it", () => rsa.forge.withHeader({ alg: "RЅ256" })],
    [
      "a parameter in letters that look like alg",
      () => rsa.forge.sign(JSON.stringify(rsa.forge.header).replace('"alg"', '"аlg"'), rsa.forge.claims),
    ],
    ["kid in letters that look like it", () => rsa.forge.withHeader({ kid: "kеy-rsa" })],
    ["kid in another normal form", () => rsa.forge.withHeader({ kid: "key-r\uff53a" })],
  ]);

  it("accepts a token of exactly 16 KB, which is the limit", async () => {
    expect(await outcomeOf(await ofLength(16 * 1024))).toEqual([200]);
  });
});

describe("external tokens: repeated members (RFC 7515 §4, RFC 7519 §4)", () => {
  refusesAnnounced(repetitionAttacks(() => rsa));
  const twice = (what: string, change: (json: string) => string): Attack => [
    what,
    () => rsa.forge.sign(rsa.forge.header, change(JSON.stringify(rsa.forge.claims))),
  ];
  refusesAnnounced([
    twice("two emails", (json) => json.replace("{", '{"email":"ada@acme.example",')),
    twice("two issuers", (json) => json.replace(/}$/, `,"iss":"${unregistered.url}"}`)),
    twice("a repetition deep inside", (json) => json.replace(/}$/, ',"realm":{"roles":["a"],"roles":["b"]}}')),
  ]);
});

describe("external tokens: times (RFC 7519 §4.1.4 to §4.1.6)", () => {
  refusesAnnounced(timeAttacks(() => rsa));
  refusesAnnounced([
    claims("exp this very second", () => ({ exp: Math.floor(Date.now() / 1000) })),
    claims("exp true", () => ({ exp: true })),
    claims("exp as an object", () => ({ exp: { valueOf: 9_999_999_999 } })),
    claims("exp half a second ago", () => ({ exp: Math.floor(Date.now() / 1000) - 0.5 })),
    claims("nbf in half a minute and a half second", () => ({ nbf: Math.floor(Date.now() / 1000) + 32.5 })),
    claims("nbf beyond what is exact", () => ({ nbf: 2 ** 60 })),
  ]);
});

describe("external tokens: issuer (RFC 8725 §3.8)", () => {
  const cyrillic = (url: string) => url.replace("http", "һttp");
  const issuers: [what: string, iss: () => unknown][] = [
    ["missing", () => undefined],
    ["null", () => null],
    ["a number", () => 1],
    ["an array with the issuer", () => [issuer.url]],
    ["an object", () => ({ [issuer.url]: true })],
    ["empty", () => ""],
    ["with a slash after it", () => `${issuer.url}/`],
    ["with a suffix", () => `${issuer.url}.evil.example`],
    ["with a path after it", () => `${issuer.url}/v2.0`],
    ["with a query", () => `${issuer.url}?`],
    ["with a fragment", () => `${issuer.url}#`],
    ["with a space after it", () => `${issuer.url} `],
    ["with a line end after it", () => `${issuer.url}\n`],
    ["with a NUL after it", () => `${issuer.url}\u0000`],
    ["cut by one letter", () => issuer.url.slice(0, -1)],
    ["its origin alone", () => new URL(issuer.url).origin],
    ["in capitals", () => issuer.url.toUpperCase()],
    ["its scheme in capitals", () => issuer.url.replace("http", "HTTP")],
    ["by https", () => issuer.url.replace("http:", "https:")],
    ["with user information", () => issuer.url.replace("//", "//x@")],
    ["with a dot after the host", () => issuer.url.replace("127.0.0.1", "127.0.0.1.")],
    ["its host in another spelling", () => issuer.url.replace("127.0.0.1", "localhost")],
    ["its host as one number", () => issuer.url.replace("127.0.0.1", "2130706433")],
    ["with a letter that looks like it", () => cyrillic(issuer.url)],
    ["percent-encoded", () => issuer.url.replace("http://127", "http://%3127")],
    ["with a dot segment", () => issuer.url.replace(/\/([^/]+)$/, "/x/../$1")],
    ["of an issuer that nobody registered", () => unregistered.url],
    ["a member of every object", () => "__proto__"],
    ["of another instance", () => "http://other.localhost"],
  ];
  refusesAnnounced(
    issuers.map(([what, iss]) => claims(`iss ${what}`, () => ({ iss: iss() }))),
    [403, "issuer_not_registered"],
  );
  refusesAnnounced(
    [["a genuine token of an issuer that nobody registered", () => unregistered.token()]],
    [403, "issuer_not_registered"],
  );

  it("refuses a token that names this instance as its issuer by the rules for its own tokens, announced or not", async () => {
    for (const { header } of [ec.forge, own.forge]) {
      const token = await ec.forge.sign(header, { ...own.forge.claims, iss: ORIGIN });
      expect(await outcomeOf(token)).toEqual([401, "invalid_token"]);
      expect(await outcomeOf(token, {})).toEqual([401, "invalid_token"]);
    }
  });
});

describe("external tokens: audience (RFC 8725 §3.9)", () => {
  const audiences: [what: string, aud: unknown][] = [
    ["missing", undefined],
    ["null", null],
    ["empty", ""],
    ["an empty array", []],
    ["of another API", "api://payroll"],
    ["an array of other APIs", ["api://payroll", "api://mail"]],
    ["nested in an array", [[AUDIENCE]]],
    ["an object", { [AUDIENCE]: true }],
    ["with a slash after it", `${AUDIENCE}/`],
    ["with a suffix", `${AUDIENCE}.evil.example`],
    ["cut by one letter", AUDIENCE.slice(0, -1)],
    ["in capitals", AUDIENCE.toUpperCase()],
    ["two in one text", `${AUDIENCE} api://payroll`],
    ["of the client, as an ID token has it", CLIENT_ID],
    ["of the authorization server here", ORIGIN],
  ];
  refusesAnnounced(audiences.map(([what, aud]) => claims(`aud ${what}`, () => ({ aud }))));
});

describe("external tokens: the application that they were issued to", () => {
  const clients: [what: string, changes: Json][] = [
    ["another", { azp: "payroll" }],
    ["the registered one and more", { azp: "portal-evil" }],
    ["a part of the registered one", { azp: "porta" }],
    ["in capitals", { azp: "PORTAL" }],
    ["with a space after it", { azp: "portal " }],
    ["with a NUL after it", { azp: "portal\u0000" }],
    ["as an array", { azp: [CLIENT_ID] }],
    ["as an object", { azp: { id: CLIENT_ID } }],
    ["as a number", { azp: 1 }],
    ["null, with a registered one in a lesser claim", { azp: null, client_id: CLIENT_ID }],
    ["empty, with a registered one in a lesser claim", { azp: "", client_id: CLIENT_ID }],
    ["another, with a registered one in appid", { azp: "payroll", appid: CLIENT_ID }],
    ["another, with a registered one as audience", { azp: "payroll", aud: [AUDIENCE, CLIENT_ID] }],
    ["nowhere", { azp: undefined }],
    ["nowhere but in sub", { azp: undefined, sub: CLIENT_ID }],
    ["in letters that look like it", { azp: "pоrtal" }],
    ["a member of every object", { azp: "constructor" }],
    ["in an array in client_id", { azp: undefined, client_id: [CLIENT_ID] }],
  ];
  refusesAnnounced(
    clients.map(([what, changes]) => claims(`a token whose client is ${what}`, () => changes)),
    [403, "client_not_registered"],
  );
  refusesAnnounced(
    [
      ["no client and the API as audience, where any audience passes", () => open.token({ azp: undefined })],
      ["no client and a registered one nested in aud", () => open.token({ azp: undefined, aud: [[CLIENT_ID]] })],
      ["no client and aud as an object", () => open.token({ azp: undefined, aud: { [CLIENT_ID]: 1 } })],
    ],
    [403, "client_not_registered"],
  );
});

describe("external tokens: the person's email (nOAuth)", () => {
  const emails: [what: string, changes: Json][] = [
    ["unverified", { email_verified: false }],
    ["verified by nobody's word", { email_verified: undefined }],
    ["verified null", { email_verified: null }],
    ["verified by the word false", { email_verified: "false" }],
    ["verified by the word TRUE", { email_verified: "TRUE" }],
    ["verified by the number 2", { email_verified: 2 }],
    ["verified by an object", { email_verified: {} }],
    ["verified by an array", { email_verified: [true] }],
    ["verified elsewhere", { email_verified: undefined, xms_edov: true, emailVerified: true }],
    ["missing", { email: undefined }],
    ["missing, with one in another claim", { email: undefined, upn: "ben@acme.example", sub: "ben@acme.example" }],
    ["null", { email: null }],
    ["an array", { email: ["ben@acme.example"] }],
    ["an object", { email: { value: "ben@acme.example" } }],
    ["without a domain", { email: "ben" }],
    ["with an empty domain", { email: "ben@" }],
    ["without a name", { email: "@acme.example" }],
    ["with two @", { email: "ben@acme.example@evil.example" }],
    ["two of them", { email: "ben@acme.example,eve@evil.example" }],
    ["with a space before", { email: " ben@acme.example" }],
    ["with a space after", { email: "ben@acme.example " }],
    ["with a space inside", { email: "ben @acme.example" }],
    ["with a line end", { email: "ben@acme.example\n" }],
    ["with a NUL after it", { email: "ben@acme.example\u0000" }],
    ["with a NUL before the @", { email: "ben\u0000@acme.example" }],
    ["with a space of no width", { email: "b\u200ben@acme.example" }],
    ["with a turn of direction", { email: "\u202eben@acme.example" }],
    ["with half a character", { email: "ben\ud800@acme.example" }],
    ["with a letter that lower case turns into k", { email: "deni\u212a@acme.example" }],
    ["beyond any length", { email: `${"b".repeat(400)}@acme.example` }],
  ];
  refusesAnnounced(emails.map(([what, changes]) => claims(`an email ${what}`, () => changes)));
});

describe("external tokens: other kinds of tokens in their place (RFC 8725 §3.11, RFC 8417 §4)", () => {
  const types = [
    "logout+jwt",
    "dpop+jwt",
    "id_token+jwt",
    "secevent+jwt",
    "application/logout+jwt",
    "token-introspection+jwt",
    "oauth-authz-req+jwt",
    "kb+jwt",
    "at",
    "JWE",
    "",
    "at+jwt ",
    null,
    1,
    ["at+jwt"],
    { toString: "at+jwt" },
  ];
  refusesAnnounced([
    ...types.map((typ): Attack => [`typ ${JSON.stringify(typ)}`, () => rsa.forge.withHeader({ typ })]),
    ["an ID token, where an audience is set", () => issuer.token({ aud: CLIENT_ID, nonce: "n", at_hash: "h" })],
    [
      "a logout token that does not say so in its header",
      () => issuer.token({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } }),
    ],
    ["a security event that is none", () => issuer.token({ events: null })],
  ]);
});

describe("external tokens: bound to a key that a bearer doesn't prove (RFC 9449 §7.2, RFC 8705 §3)", () => {
  refusesAnnounced([
    claims("cnf with the thumbprint of a DPoP key", () => ({
      cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" },
    })),
    claims("cnf with a certificate's thumbprint", () => ({
      cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" },
    })),
    claims("an empty cnf", () => ({ cnf: {} })),
    claims("cnf null", () => ({ cnf: null })),
    claims("cnf as a text", () => ({ cnf: "jkt" })),
  ]);
});

/** Returns a token of this length that is valid except perhaps for its length. */
async function ofLength(characters: number): Promise<string> {
  const bare = await rsa.forge.withClaims({ padding: "" });
  let padding = "x".repeat(Math.floor(((characters - bare.length) * 3) / 4));
  for (;;) {
    const token = await rsa.forge.withClaims({ padding });
    if (token.length >= characters) return token;
    padding += "x";
  }
}

/** Returns the padded digest that the key's holder would sign (RFC 8017 §9.2), for use as if it were a signature. */
async function paddedDigest(input: string): Promise<Uint8Array> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(input)));
  const prefix = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0, 4, 32,
  ];
  const filler = Array<number>(256 - 3 - prefix.length - digest.length).fill(0xff);
  return new Uint8Array([0, 1, ...filler, 0, ...prefix, ...digest]);
}
