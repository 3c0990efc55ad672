import { httpServerHandler } from "cloudflare:node";
import { env as bindings, WorkerEntrypoint } from "cloudflare:workers";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import type { TokenForms } from "../messages.ts";

interface Bindings {
  readonly DB: D1Database;
  /** Whether storage is in this isolate's memory, so that only the package's own work is measured. */
  readonly REMEMBER_STORAGE: boolean;
}

const env = bindings as unknown as Bindings;

const ISSUER = "http://localhost";
const CLIENT_ID = "app";
const REDIRECT_URI = "https://app.example/callback";
const RESOURCE = "https://acme.example";
const ACCOUNT_ID = "ben";
const SCOPE = "SEARCH offline_access";
const PKCE = {
  verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
};

/** Longer than any run. */
const RUN_SECONDS = 7200;

type Payload = Record<string, unknown>;

/** The package's interface for storage. Each adapter stores the entries of one model. */
interface Adapter {
  upsert(id: string, payload: Payload, expiresIn: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
}

const stored = new Map<string, Payload>();

/** Storage that costs nothing. The package's own adapter for memory forgets all but a thousand entries. */
function memoryAdapter(model: string): Adapter {
  const keyOf = (id: string) => `${model}:${id}`;
  return {
    upsert: async (id, payload) => void stored.set(keyOf(id), payload),
    find: async (id) => stored.get(keyOf(id)),
    consume: async (id) => void Object.assign(stored.get(keyOf(id)) ?? {}, { consumed: secondsNow() }),
    destroy: async (id) => void stored.delete(keyOf(id)),
  };
}

const SCHEMA = "CREATE TABLE IF NOT EXISTS oidc (id TEXT PRIMARY KEY, payload TEXT NOT NULL, expires_at INTEGER)";
const UPSERT = "INSERT OR REPLACE INTO oidc (id, payload, expires_at) VALUES (?1, ?2, ?3)";
const FIND = "SELECT payload FROM oidc WHERE id = ?1 AND expires_at > ?2";
const CONSUME = "UPDATE oidc SET payload = json_set(payload, '$.consumed', ?2) WHERE id = ?1";
const DESTROY = "DELETE FROM oidc WHERE id = ?1";

/** Storage in D1, one statement for each call, as adapters of the package are written for other databases. */
function d1Adapter(model: string): Adapter {
  const run = async (statement: string, id: string, ...values: (string | number)[]) => {
    await env.DB.prepare(statement)
      .bind(`${model}:${id}`, ...values)
      .run();
  };
  return {
    upsert: (id, payload, expiresIn) => run(UPSERT, id, JSON.stringify(payload), secondsNow() + expiresIn),
    async find(id) {
      const found = env.DB.prepare(FIND).bind(`${model}:${id}`, secondsNow());
      const payload = await found.first<string>("payload");
      return payload === null ? undefined : (JSON.parse(payload) as Payload);
    },
    consume: (id) => run(CONSUME, id, secondsNow()),
    destroy: (id) => run(DESTROY, id),
  };
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

async function createProvider(): Promise<Provider> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const { kty, crv, x, y, d } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  return new Provider(ISSUER, {
    adapter: env.REMEMBER_STORAGE ? memoryAdapter : d1Adapter,
    clients: [
      {
        client_id: CLIENT_ID,
        redirect_uris: [REDIRECT_URI],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        id_token_signed_response_alg: "ES256",
      },
    ],
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // Signed, like ours (RFC 9068).
        getResourceServerInfo: () => ({ scope: "SEARCH", accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } }),
      },
    },
    findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: () => true,
    jwks: { keys: [{ kty, crv, x, y, d, alg: "ES256", use: "sig", kid: "bench" }] },
    rotateRefreshToken: true,
    ttl: { AuthorizationCode: RUN_SECONDS, RefreshToken: RUN_SECONDS, Grant: RUN_SECONDS, AccessToken: 3600 },
  });
}

let provider: Promise<Provider> | undefined;
let handler: ExportedHandler | undefined;

/** Called by requests only: before the first one, a Worker may not generate keys. */
function theProvider(): Promise<Provider> {
  provider ??= createProvider();
  return provider;
}

export default {
  async fetch(request: Request, _env: unknown, context: ExecutionContext): Promise<Response> {
    handler ??= httpServerHandler(createServer((await theProvider()).callback()).listen(8080));
    return handler.fetch?.(request as never, bindings, context) ?? new Response(null, { status: 500 });
  },
};

/** Creates codes and refresh tokens with the package's own models. */
export class Control extends WorkerEntrypoint {
  override async fetch(request: Request): Promise<Response> {
    const { count } = await request.json<{ readonly count: number }>();
    await env.DB.exec(SCHEMA);
    const { Client, Grant, AuthorizationCode, RefreshToken } = await theProvider();
    const client = await Client.find(CLIENT_ID);
    const forms: TokenForms = { redemptions: [], refreshes: [] };
    while (forms.refreshes.length < count) {
      const grant = new Grant({ accountId: ACCOUNT_ID, clientId: CLIENT_ID });
      grant.addResourceScope(RESOURCE, "SEARCH");
      const grantId = await grant.save();
      const granted = {
        accountId: ACCOUNT_ID,
        client,
        grantId,
        gty: "authorization_code",
        resource: RESOURCE,
        scope: SCOPE,
      };
      const bound = { redirectUri: REDIRECT_URI, codeChallenge: PKCE.challenge, codeChallengeMethod: "S256" };
      forms.redemptions.push({
        grant_type: "authorization_code",
        client_id: CLIENT_ID,
        code: await new AuthorizationCode({ ...granted, ...bound }).save(),
        code_verifier: PKCE.verifier,
        redirect_uri: REDIRECT_URI,
      });
      const token = await new RefreshToken(granted).save();
      forms.refreshes.push({ grant_type: "refresh_token", client_id: CLIENT_ID, refresh_token: token });
    }
    return Response.json(forms);
  }
}
