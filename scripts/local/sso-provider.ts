import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js";
import { interactionPolicy, Provider, type ProviderContext } from "oidc-provider";
import type { Person } from "./people.ts";
import { errorPage } from "./sso-pages.ts";

/** The only application that may send people here. */
export interface SsoClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

const SCOPES = ["openid", "profile", "email", "groups"] as const;

/** The `acr` of a sign-in here when an application requests it (OpenID Connect Core §3.1.2.1, `acr_values`). */
const SECOND_FACTOR = "urn:local-sso:second-factor";

const HOUR_SECONDS = 60 * 60;

/** A working day, so that a developer is still signed in after lunch. */
const SESSION_SECONDS = 12 * HOUR_SECONDS;

/**
 * Builds the OpenID provider that stands in for the organisation's.
 *
 * Its state lives as long as the process.
 *
 * @param signingKey a private JWK; with a new key, applications that cache its keys have to fetch them again
 */
export function createSsoProvider(
  issuer: string,
  client: SsoClient,
  people: readonly Person[],
  signingKey: object,
): Provider {
  return new Provider(issuer, {
    acrValues: [SECOND_FACTOR],
    adapter: createMemoryAdapter(),
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
    // Organisations' providers put these claims into the ID token, although OpenID Connect Core §5.4 prefers the UserInfo response.
    conformIdTokenClaims: false,
    clientAuthMethods: ["client_secret_basic"],
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        client_name: "Gatehouse",
        redirect_uris: client.redirectUris,
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: "client_secret_basic",
        // Most organisations' providers send `auth_time`, which shows that a sign-in is recent.
        require_auth_time: true,
      },
    ],
    cookies: {
      // Cookies ignore ports, so the Worker on the same host name receives these too. Their names say whose they are.
      names: { session: "local_sso_session", interaction: "local_sso_interaction", resume: "local_sso_resume" },
      keys: [randomBytes(32).toString("base64url")],
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    async findAccount(_context, sub) {
      const person = people.find((candidate) => candidate.sub === sub);
      return person && { accountId: sub, claims: async () => claimsOf(person) };
    },
    interactions: { policy: alwaysAskWho(), url: (_context, interaction) => `/interaction/${interaction.uid}` },
    jwks: { keys: [signingKey] },
    loadExistingGrant: grantEverything,
    pkce: { required: () => true },
    async renderError(context, out) {
      context.type = "html";
      context.body = await errorPage(
        out.error ?? "error",
        out.error_description ?? "The request could not be answered.",
      );
    },
    responseTypes: ["code"],
    scopes: SCOPES,
    ttl: {
      AccessToken: HOUR_SECONDS,
      AuthorizationCode: 60,
      Grant: SESSION_SECONDS,
      IdToken: HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      Session: SESSION_SECONDS,
    },
  });
}

function claimsOf(person: Person): Record<string, unknown> {
  return {
    sub: person.sub,
    name: person.name,
    email: person.email,
    email_verified: person.emailVerified ?? true,
    groups: person.groups,
  };
}

/** Creates a signing key of the local SSO, as a private JWK. */
export function makeSigningKey(): object {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: randomBytes(8).toString("hex") };
}

/**
 * Shows the picker at every sign-in, even if the browser has a session, so that a developer can switch to another person without
 * clearing cookies. `prompt=none` still uses the session.
 */
function alwaysAskWho(): unknown {
  const { Check, Prompt } = interactionPolicy;
  const policy = interactionPolicy.base();
  policy.get("login").checks.add(
    new Check("choose_person", "The person at the browser has to say who they are", "login_required", (context) => {
      const answered = context.oidc.result?.login !== undefined;
      return !answered && !context.oidc.promptPending("none");
    }),
  );
  policy.add(new Prompt({ name: "select_account", requestable: true }));
  return policy;
}

/** Grants every scope without asking. The consent that matters to a person is the one that Gatehouse shows. */
async function grantEverything({ oidc }: ProviderContext) {
  const accountId = oidc.session.accountId;
  if (accountId === undefined) throw new Error("A grant was asked for before anybody signed in.");
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId });
  grant.addOIDCScope(SCOPES.join(" "));
  await grant.save();
  return grant;
}
