import { getOAuthApi, OAuthProvider, type OAuthProviderOptions } from "@cloudflare/workers-oauth-provider";
import { WorkerEntrypoint } from "cloudflare:workers";
import { Hono } from "hono";
import { answerConstant, ROUTE } from "./answer.ts";

interface Bindings {
  readonly OAUTH_KV: KVNamespace;
  /** Whether reads of KV come from memory, so that only the package's own work is measured. */
  readonly REMEMBER_KV: boolean;
}

/** The only host that the package serves over plain http. */
const PEER_ORIGIN = "http://localhost";

const REDIRECT_URI = "https://app.example/callback";

const api = new Hono();
api.post(ROUTE, answerConstant);

const options: OAuthProviderOptions<Bindings> = {
  apiRoute: "/rest/api/v1/",
  apiHandler: { fetch: (request, env, context) => api.fetch(request, env, context) },
  defaultHandler: { fetch: () => new Response(null, { status: 404 }) },
  authorizeEndpoint: "/authorize",
  tokenEndpoint: "/token",
  scopesSupported: ["SEARCH"],
  resourceMetadata: { resource: PEER_ORIGIN },
};

/** The nearest published peer, as the gate of the same route. */
const provider = new OAuthProvider<Bindings>(options);

const remembered = new Map<string, unknown>();

/** Returns a KV namespace that reads each key from the real one only once. */
function fromMemory(namespace: KVNamespace): KVNamespace {
  return new Proxy(namespace, {
    get(target, name) {
      if (name !== "get") return Reflect.get(target, name, target) as unknown;
      return async (key: string, as: never) => {
        if (!remembered.has(key)) remembered.set(key, await target.get(key, as));
        return remembered.get(key);
      };
    },
  });
}

let bindings: Bindings | undefined;

export default {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Promise<Response> {
    bindings ??= env.REMEMBER_KV ? { ...env, OAUTH_KV: fromMemory(env.OAUTH_KV) } : env;
    return provider.fetch(request, bindings, context);
  },
};

/** The verifier of each code, and its challenge. */
const PKCE = {
  verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
};

/** Issues tokens by the package's own endpoints: code, PKCE, token endpoint. */
export class Control extends WorkerEntrypoint<Bindings> {
  override async fetch(): Promise<Response> {
    const oauth = getOAuthApi(options, this.env);
    const { clientId } = await oauth.createClient({ redirectUris: [REDIRECT_URI], tokenEndpointAuthMethod: "none" });
    const { redirectTo } = await oauth.completeAuthorization({
      request: {
        responseType: "code",
        clientId,
        redirectUri: REDIRECT_URI,
        scope: ["SEARCH"],
        state: "state",
        codeChallenge: PKCE.challenge,
        codeChallengeMethod: "S256",
      },
      userId: crypto.randomUUID(),
      metadata: {},
      scope: ["SEARCH"],
      props: { personId: "ben" },
    });
    const form = {
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      code: new URL(redirectTo).searchParams.get("code") ?? "",
      code_verifier: PKCE.verifier,
    };
    const redemption = new Request(`${PEER_ORIGIN}/token`, { method: "POST", body: new URLSearchParams(form) });
    const response = await provider.fetch(redemption, this.env, this.ctx);
    return Response.json({ ...(await response.json<object>()), client_id: clientId });
  }
}
