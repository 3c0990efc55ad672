import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Answer, LoadClient } from "../load/http.ts";

const EVIL = "https://evil.example";
const REDIRECT = `${EVIL}/cb`;
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** A key as long as is accepted. */
const longKey = (kid: string) => ({ kty: "EC", crv: "P-256", x: "A".repeat(1800), y: "A", kid });

/** A key with a member of empty arrays, which take ten times their size once parsed. */
function nestedSet(arrays: number): string {
  const key = JSON.stringify(longKey("k0")).slice(0, -1);
  return `{"keys":[${key},"pad":[${"[],".repeat(arrays)}[]]}]}`;
}

/** The worst key sets: as many keys as are read, as many parts as are read, and one that is refused for its parts. */
const KEY_SETS = [
  JSON.stringify({ keys: Array.from({ length: 16 }, (_, at) => longKey(`k${at}`)) }),
  nestedSet(480),
  nestedSet(80_000),
];

/** Answers as the server that strangers name. Each document is another app's, with as many bytes as are read. */
export function answerStrangers({ pathname, href }: URL): Response {
  const headers = { "Content-Type": "application/json" };
  if (pathname.startsWith("/jwks/")) {
    return new Response(KEY_SETS[Number(pathname.slice("/jwks/".length)) % KEY_SETS.length] ?? "", { headers });
  }
  const document = {
    client_id: href,
    client_name: "n".repeat(200),
    redirect_uris: [REDIRECT, ...Array.from({ length: 8 }, (_, at) => `${REDIRECT}/${at}/${"r".repeat(400)}`)],
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    jwks_uri: `${EVIL}/jwks/${pathname.slice("/c/".length).length + (randomBytes(1)[0] ?? 0)}`,
    pad: Array.from({ length: 200 }, () => []),
  };
  return new Response(JSON.stringify(document), { headers });
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
const now = () => Math.floor(Date.now() / 1000);
const name = () => randomBytes(12).toString("hex");

/** A JWT whose signature is wrong. */
function unsigned(claims: object): string {
  return `${encode({ alg: "ES256", kid: "k0" })}.${encode(claims)}.${Buffer.alloc(64, 1).toString("base64url")}`;
}

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const proofHeader = encode({ typ: "dpop+jwt", alg: "ES256", jwk: publicKey.export({ format: "jwk" }) });

/** A genuine proof with an id as long as is accepted. */
function proof(origin: string, nonce: string | undefined): string {
  const jti = randomBytes(96).toString("base64url");
  const text = `${proofHeader}.${encode({ htm: "POST", htu: `${origin}/oauth/token`, iat: now(), jti, nonce })}`;
  return `${text}.${sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

/** A caller with an address of its own, who sends one kind of request after another. */
export class Stranger {
  readonly #client: LoadClient;
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  #turn: number;
  /** The last one that a caller was offered. */
  static #nonce: string | undefined;

  constructor(client: LoadClient, origin: string, number: number) {
    this.#client = client;
    this.#origin = origin;
    this.#headers = { "CF-Connecting-IP": `198.18.${number >> 8}.${number & 255}` };
    this.#turn = number;
  }

  /** Sends the next request. @returns its kind and the status of the answer, such as `push 401` */
  async next(): Promise<string> {
    this.#turn += 1;
    const acts = [
      ["push", () => this.#push()],
      ["prove", () => this.#prove()],
      ["authorize", () => this.#authorize()],
      ["register", () => this.#register()],
      ["present", () => this.#present()],
      ["name host", () => this.#nameHost()],
    ] as const;
    const [kind, act] = acts[this.#turn % acts.length] ?? acts[0];
    const { status } = await act();
    return `${kind} ${status}`;
  }

  #post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const all = { ...this.#headers, ...headers, "Content-Type": "application/x-www-form-urlencoded" };
    return this.#client.send(path, "POST", all, new URLSearchParams(form).toString());
  }

  /** Pushes a request of a new app, whose document and keys the Worker fetches. */
  #push(): Promise<Answer> {
    const id = `${EVIL}/c/${name()}`;
    const claims = { iss: id, sub: id, aud: this.#origin, exp: now() + 60, jti: name(), pad: "p".repeat(5000) };
    return this.#post("/oauth/par", {
      client_id: id,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: unsigned(claims),
    });
  }

  async #prove(): Promise<Answer> {
    const form = { grant_type: "refresh_token", client_id: name(), refresh_token: name() };
    const answer = await this.#post("/oauth/token", form, { DPoP: proof(this.#origin, Stranger.#nonce) });
    Stranger.#nonce = answer.headers.get("dpop-nonce") ?? Stranger.#nonce;
    return answer;
  }

  #authorize(): Promise<Answer> {
    const query = new URLSearchParams({
      client_id: `${EVIL}/c/${name()}`,
      redirect_uri: REDIRECT,
      response_type: "code",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      state: "s".repeat(4096),
    });
    return this.#client.send(`/oauth/authorize?${query.toString()}`, "GET", this.#headers);
  }

  #register(): Promise<Answer> {
    const redirects = Array.from({ length: 9 }, (_, at) => `${REDIRECT}/${at}/${"r".repeat(400)}`);
    const jwks = `${EVIL}/jwks/${this.#turn}`;
    const app = { redirect_uris: redirects, token_endpoint_auth_method: "private_key_jwt", jwks_uri: jwks };
    return this.#client.postJson("/oauth/register", app, this.#headers);
  }

  /** Presents a token of an unknown issuer. */
  #present(): Promise<Answer> {
    const token = unsigned({
      iss: `${EVIL}/${name()}`,
      sub: name(),
      exp: now() + 60,
      pad: Array.from({ length: 3000 }, () => []),
    });
    return this.#client.postJson(
      "/rest/api/v1/search",
      { query: "a" },
      { ...this.#headers, Authorization: `Bearer ${token}`, "X-Gatehouse-Auth-Type": "OAUTH" },
    );
  }

  /** Names an instance that doesn't exist. */
  #nameHost(): Promise<Answer> {
    return this.#client.send("/.well-known/oauth-authorization-server", "GET", {
      ...this.#headers,
      Host: `${name()}.localhost`,
    });
  }
}
