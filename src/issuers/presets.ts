import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { IssuerDraft } from "./configuration-rules.ts";

/** The inputs of presets, in addition to the fields of a configuration. */
export interface PresetInputs {
  /** A host name: of the organisation at the provider, or at Google its own domain. */
  readonly domain?: string | undefined;
  /** Entra: the tenant's id. */
  readonly tenant?: string | undefined;
  /** Okta: the custom authorization server's id. */
  readonly server?: string | undefined;
  /** Keycloak: the realm's URL. */
  readonly realm?: string | undefined;
  /** Auth0: the prefix of the names of added claims. */
  readonly namespace?: string | undefined;
  /** PingOne: the issuer of the environment. */
  readonly environment?: string | undefined;
  /** Entra: the version of the access tokens, `1` or `2`. */
  readonly tokenVersion?: string | undefined;
  readonly audiences: readonly string[];
}

/** The inputs of a preset; those that it needs are not empty. */
type GivenInputs = Readonly<Record<"domain" | "tenant" | "realm" | "namespace" | "environment", string>> &
  Pick<PresetInputs, "server" | "tokenVersion" | "audiences">;

/** What a provider decides about signing people in there. Everything else is as usual. */
interface SignIn {
  readonly issuer: string;
  readonly scopes?: string;
  readonly groupsClaim?: string;
  readonly requiredClaims?: Readonly<Record<string, string>>;
}

/** A provider where people sign in. */
export interface Provider {
  readonly name: string;
  readonly title: string;
  /** The required inputs, with their descriptions. */
  readonly needs: Readonly<Record<string, string>>;
  /** What has to be set up at the provider, so that people can sign in. */
  readonly toSignIn: string;
  signIn(inputs: GivenInputs): SignIn;
}

/** A provider whose access tokens the APIs can accept. */
export interface Preset extends Provider {
  readonly mayHave: Readonly<Record<string, string>>;
  /** What has to be set up at the provider. Otherwise the tokens let nobody in. */
  readonly atTheProvider: string;
  /**
   * Whether the tokens can say that an email address is verified. If not, an administrator decides who vouches for it.
   */
  readonly saysVerified: boolean;
  /** Returns a configuration; without an issuer, it is that of the sign-in. */
  draft(inputs: GivenInputs): IssuerDraft;
}

const CLIENT_ID = "the application whose tokens are accepted; can be repeated";

export const PROVIDERS: readonly (Provider | Preset)[] = [
  {
    name: "okta",
    title: "Okta",
    needs: { domain: "<org>.okta.com, or the custom domain", "client-id": CLIENT_ID },
    mayHave: {
      server: "the custom authorization server's id, unless it is default",
      audience: "its audience, unless it is api://default",
    },
    toSignIn: "a web application; on its Sign On tab, a groups claim named groups with a filter",
    signIn: ({ domain }) => ({ issuer: `https://${domain}`, scopes: "openid profile email groups" }),
    atTheProvider:
      "a custom authorization server (the org server's tokens are only for Okta) with a claim email, user.email, in the access token",
    saysVerified: false,
    draft({ domain, server = "default", audiences }) {
      if (server !== "default" && audiences.length === 0) throw missing("okta", "audience", "the server's audience");
      return {
        issuer: `https://${domain}/oauth2/${server}`,
        accountClaim: "uid",
        clientIdClaim: "cid",
        audiences: audiences.length === 0 ? ["api://default"] : audiences,
      };
    },
  },
  {
    name: "entra",
    title: "Microsoft Entra ID",
    needs: {
      tenant: "the tenant's id, a GUID",
      audience: "the id of the registration that stands for this API, a GUID; with version 1 its api:// URI too",
      "client-id": CLIENT_ID,
    },
    mayHave: { "token-version": "1 if the API's requestedAccessTokenVersion is null or 1; the default is 2" },
    toSignIn:
      "an app registration with a client secret; under Token configuration, the optional claim email and the groups claim in the ID token. Entra ID confirms no email addresses: decide whether to trust them",
    signIn: ({ tenant }) => ({ issuer: `https://login.microsoftonline.com/${tenant}/v2.0` }),
    atTheProvider:
      "an application registration for this API that exposes a scope, with the optional claims email and xms_edov in its access token",
    saysVerified: true,
    draft({ tenant, tokenVersion = "2", audiences }) {
      const common = { audiences, emailVerifiedClaim: "xms_edov" };
      if (tokenVersion === "1") {
        return {
          ...common,
          issuer: `https://sts.windows.net/${tenant}/`,
          clientIdClaim: "appid",
          jwksUri: `https://login.microsoftonline.com/${tenant}/discovery/keys`,
        };
      }
      if (tokenVersion !== "2") {
        throw new AdministrationRefused("The version of Entra's tokens must be 1 or 2", "tokenVersion");
      }
      const uri = audiences.find((audience) => audience.includes(":"));
      if (uri !== undefined) {
        throw new AdministrationRefused(
          `In tokens of version 2 the audience is the API's id, a GUID, never ${uri}: give that id, or the token version 1`,
          "audiences",
        );
      }
      return { ...common, clientIdClaim: "azp" };
    },
  },
  {
    name: "google",
    title: "Google Workspace",
    needs: { domain: "the organisation's domain, as in hd", "client-id": `${CLIENT_ID} (it is the token's aud)` },
    mayHave: {},
    toSignIn: "an OAuth client of the type Web application, whose audience is Internal; Google sends no groups",
    signIn: ({ domain }) => ({ issuer: "https://accounts.google.com", requiredClaims: { hd: domain } }),
    atTheProvider:
      "nothing; applications send the ID token, requested with openid email, because the access token is opaque",
    saysVerified: true,
    draft: ({ domain, audiences }) => ({
      clientIdClaim: "aud",
      audiences,
      requiredClaims: { hd: domain },
      emailDomains: [domain],
    }),
  },
  {
    name: "onelogin",
    title: "OneLogin",
    needs: {
      domain: "<subdomain>.onelogin.com, or the custom domain",
      audience: "the audience of the API authorization server",
      "client-id": CLIENT_ID,
    },
    mayHave: {},
    toSignIn: "an OpenID Connect app of the type Web; on its Parameters tab, the groups that it sends",
    signIn: ({ domain }) => ({ issuer: `https://${domain}/oidc/2`, scopes: "openid profile email groups" }),
    atTheProvider:
      "an API authorization server with a claim email, from the user's email: plain access tokens don't identify a person",
    saysVerified: false,
    draft: ({ audiences }) => ({ clientIdClaim: "azp", audiences }),
  },
  {
    name: "auth0",
    title: "Auth0",
    needs: {
      domain: "<tenant>.<region>.auth0.com, or the custom domain",
      audience: "the identifier of the API that you created for this service",
      namespace: "what the names of the added claims begin with, such as https://acme.example/",
      "client-id": CLIENT_ID,
    },
    mayHave: { "client-id-claim": "client_id if the API's tokens use the RFC 9068 profile; the default is azp" },
    toSignIn: "a Regular Web Application, and a post-login Action that adds <namespace>groups to the ID token",
    signIn: ({ domain, namespace }) => ({ issuer: `https://${domain}/`, groupsClaim: `${namespace}groups` }),
    atTheProvider:
      "an API, requested by its audience, and a post-login Action that adds <namespace>email and <namespace>email_verified",
    saysVerified: true,
    draft: ({ namespace, audiences }) => ({
      clientIdClaim: "azp",
      audiences,
      personClaim: `${namespace}email`,
      emailVerifiedClaim: `${namespace}email_verified`,
    }),
  },
  {
    name: "keycloak",
    title: "Keycloak",
    needs: { realm: "the realm's URL, https://sso.example.com/realms/<realm>", "client-id": CLIENT_ID },
    mayHave: {
      audience: "the value that an Audience mapper adds; without it, tokens for any service of the realm are accepted",
    },
    toSignIn:
      "a client with client authentication, and a Group Membership mapper that adds groups to the ID token, without the full path",
    signIn: ({ realm }) => ({ issuer: realm.replace(/\/$/, "") }),
    atTheProvider:
      "the client scope email, which puts email and email_verified into the access token; an Audience mapper",
    saysVerified: true,
    draft: ({ audiences }) => ({ clientIdClaim: "azp", audiences }),
  },
  {
    name: "ping",
    title: "PingOne",
    needs: { environment: "the environment's issuer, https://auth.pingone.com/<environment id>/as" },
    toSignIn: "an OIDC web app whose ID token has the attributes email and, from Group Names, groups",
    signIn: ({ environment }) => ({ issuer: environment }),
  },
  {
    name: "jumpcloud",
    title: "JumpCloud",
    needs: {},
    toSignIn: "a custom OIDC app with the standard scopes email and profile, and the groups attribute groups",
    signIn: () => ({ issuer: "https://oauth.id.jumpcloud.com/" }),
  },
];

export const PRESETS = PROVIDERS.filter((provider): provider is Preset => "draft" in provider);

/**
 * Returns what a provider decides about signing people in there.
 *
 * @throws {AdministrationRefused} if an input is missing or malformed
 */
export function signInAt(provider: Provider, inputs: PresetInputs): SignIn {
  return provider.signIn(requireGiven(provider.name, signInNeeds(provider), inputs));
}

/** Returns the inputs that say where people sign in: not those about access tokens. */
export function signInNeeds({ needs }: Provider): Provider["needs"] {
  const { audience: _audience, "client-id": _clientId, ...others } = needs;
  return others;
}

/**
 * Builds a configuration from a preset. Fields in `otherwise` override those of the preset.
 *
 * @throws {AdministrationRefused} if there is no such preset, an input is missing, or nobody vouches for its email addresses
 */
export function draftFromPreset(name: string, inputs: PresetInputs, otherwise: IssuerDraft): IssuerDraft {
  const preset = PRESETS.find((each) => each.name === name);
  if (!preset) {
    throw new AdministrationRefused(
      `There is no preset ${name}; there are ${PRESETS.map((each) => each.name).join(", ")}. Add any other provider with its issuer`,
    );
  }
  const given = requireGiven(name, preset.needs, inputs);
  const { issuer } = preset.signIn(given);
  const draft: IssuerDraft = { name: preset.title, issuer, ...preset.draft(given), ...otherwise };
  const isVouchedFor =
    preset.saysVerified ||
    draft.personBy === "subject" ||
    draft.emailVouchedBy !== undefined ||
    draft.emailVerifiedClaim !== undefined;
  if (isVouchedFor) return draft;
  throw new AdministrationRefused(
    `${preset.title}'s access tokens don't confirm email addresses. If people can't set an ` +
      "unverified address, vouch for them (email vouched by: administrator); or add a claim that confirms them (email verified claim)",
    "emailVouchedBy",
  );
}

function requireGiven(name: string, needs: Provider["needs"], inputs: PresetInputs): GivenInputs {
  const { domain = "", tenant = "", realm = "", namespace = "", environment = "", audiences } = inputs;
  const given = { domain, tenant, realm, namespace, environment, audience: audiences[0] ?? "" };
  for (const [input, what] of Object.entries(needs)) {
    if (given[input as keyof typeof given] === "") throw missing(name, input, what);
  }
  if (domain !== "" && !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) {
    throw new AdministrationRefused(
      `The domain must be a host name in lower case, such as login.example.com, not ${domain}`,
      "domain",
    );
  }
  return { ...inputs, ...given };
}

function missing(preset: string, input: string, what: string): AdministrationRefused {
  const member = input === "audience" ? "audiences" : input;
  return new AdministrationRefused(`The preset ${preset} needs the ${input}: ${what}`, member);
}
