import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { JWK } from "jose";
import { type LoopbackServer, openLoopback } from "../../scripts/local/loopback.ts";

const KID = "bench";
const LIFETIME_SECONDS = 3600;

/** An identity provider of the organisation, as far as a resource server sees it: an issuer, a key set, RS256 tokens. */
export class LocalIssuer {
  readonly url: string;
  readonly publicJwk: JWK;
  readonly #server: LoopbackServer;
  readonly #privateKey: KeyObject;

  private constructor(server: LoopbackServer) {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.url = `http://127.0.0.1:${server.port}`;
    this.publicJwk = { ...publicKey.export({ format: "jwk" }), kid: KID, alg: "RS256", use: "sig" };
    this.#privateKey = privateKey;
    this.#server = server;
    const documents: Record<string, unknown> = {
      "/.well-known/openid-configuration": { issuer: this.url, jwks_uri: this.jwksUri },
      "/jwks": { keys: [this.publicJwk] },
    };
    server.serve(({ url = "" }, response) => {
      response.writeHead(url in documents ? 200 : 404, { "Content-Type": "application/json" });
      response.end(JSON.stringify(documents[url] ?? {}));
    });
  }

  static async open(): Promise<LocalIssuer> {
    return new LocalIssuer(await openLoopback(0));
  }

  get jwksUri(): string {
    return `${this.url}/jwks`;
  }

  /** An access token; each call gives another one. */
  issue(claims: Readonly<Record<string, unknown>>): string {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, nbf: now, exp: now + LIFETIME_SECONDS, jti: crypto.randomUUID() };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const input = `${encode({ alg: "RS256", typ: "JWT", kid: KID })}.${encode({ iss: this.url, ...claims, ...times })}`;
    return `${input}.${sign("sha256", Buffer.from(input), this.#privateKey).toString("base64url")}`;
  }

  stop(): void {
    this.#server.close();
  }
}
