import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { text } from "node:stream/consumers";
import type { JWK } from "jose";
import { type LoopbackServer, openLoopback } from "../../scripts/local/loopback.ts";

const KID = "bench";
const LIFETIME_SECONDS = 3600;

/** An identity provider of the organisation as a resource server sees it: an issuer, a key set and RS256 tokens. */
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
      "/.well-known/openid-configuration": {
        issuer: this.url,
        jwks_uri: this.jwksUri,
        authorization_endpoint: `${this.url}/authorize`,
        token_endpoint: `${this.url}/token`,
      },
      "/jwks": { keys: [this.publicJwk] },
    };
    server.serve(async (request, response) => {
      const { url = "" } = request;
      const answer = url === "/token" ? this.#redeem(await text(request)) : documents[url];
      // A kept connection may close just when it is used again. The bench would count that as a failure.
      response.setHeader("Connection", "close");
      response.writeHead(answer === undefined ? 404 : 200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer ?? {}));
    });
  }

  static async open(): Promise<LocalIssuer> {
    return new LocalIssuer(await openLoopback(0));
  }

  get jwksUri(): string {
    return `${this.url}/jwks`;
  }

  /** Issues an access token, a different one each time. */
  issue(claims: Readonly<Record<string, unknown>>): string {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, nbf: now, exp: now + LIFETIME_SECONDS, jti: crypto.randomUUID() };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const input = `${encode({ alg: "RS256", typ: "JWT", kid: KID })}.${encode({ iss: this.url, ...claims, ...times })}`;
    return `${input}.${sign("sha256", Buffer.from(input), this.#privateKey).toString("base64url")}`;
  }

  /** Signs a person in at once. @returns where the browser goes next, with a code */
  signIn(authorization: URL, subject: string): string {
    const asked = authorization.searchParams;
    const back = new URL(asked.get("redirect_uri") ?? "");
    const claims = { aud: asked.get("client_id"), nonce: asked.get("nonce"), sub: subject };
    back.searchParams.set("code", Buffer.from(JSON.stringify(claims)).toString("base64url"));
    back.searchParams.set("state", asked.get("state") ?? "");
    return back.href;
  }

  /** Exchanges a code. The code itself contains the claims: a bench has nothing to keep secret. */
  #redeem(form: string): object {
    const code = Buffer.from(new URLSearchParams(form).get("code") ?? "", "base64url").toString();
    const claims = JSON.parse(code) as { readonly sub: string };
    const person = { email: `${claims.sub}@acme.example`, email_verified: true };
    return { access_token: "unused", token_type: "Bearer", id_token: this.issue({ ...claims, ...person }) };
  }

  stop(): void {
    this.#server.close();
  }
}
