import { BoundedMap } from "#platform/bounded-map.ts";

/** The facts that decide whether an issuer may say who people are. */
export interface IssuerChoice {
  readonly issuer: string;
  /** Claims that must have exactly these values. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** Entra's hosts, including those of national clouds. The first segment of the path is the tenant. */
const ENTRA_HOSTS = new Set([
  "login.microsoftonline.com",
  "login.microsoftonline.us",
  "login.partner.microsoftonline.cn",
  "sts.windows.net",
]);

/** The tenant of all personal Microsoft accounts. */
const PERSONAL_ACCOUNTS_TENANT = "9188040d-6c67-4c5b-b112-36a304b66dad";

/** Issuers that sign in anybody with an account, or sign tokens for anybody. */
const PUBLIC_HOSTS = new Set([
  "accounts.google.com",
  "appleid.apple.com",
  "gitlab.com",
  "login.live.com",
  "login.salesforce.com",
  "slack.com",
  "token.actions.githubusercontent.com",
  "www.facebook.com",
  "www.linkedin.com",
]);

/** Maximum issuers whose hosts an isolate remembers. */
const HOSTS_MAX = 1000;

/**
 * Hosts by issuer. The host decides about a token's meaning in four places, and parsing a URL is a call out of JavaScript.
 */
const hosts = new BoundedMap<string, string>(HOSTS_MAX);

/** Returns the host of an issuer's URL, without the port. */
export function hostOf(issuer: string): string {
  const known = hosts.get(issuer);
  if (known !== undefined) return known;
  const { hostname } = new URL(issuer);
  hosts.set(issuer, hostname);
  return hostname;
}

/** Checks whether an issuer is an Entra tenant. */
export function isEntra(issuer: string): boolean {
  return ENTRA_HOSTS.has(hostOf(issuer));
}

/** Checks whether an issuer is Google's. */
export function isGoogle(issuer: string): boolean {
  return hostOf(issuer) === "accounts.google.com";
}

/**
 * Checks whether keys and metadata may come from a URL: https, or http on the machine itself, without anything that hides where it leads.
 */
export function isSafeUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const isLoopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(url);
  const { username, password, hash } = new URL(url);
  return (url.startsWith("https://") || isLoopback) && `${username}${password}${hash}` === "" && !url.endsWith("#");
}

/**
 * Returns a reason not to trust an issuer with who people are. An issuer that serves the whole world signs in the whole world,
 * unless a claim says which organisation is meant.
 *
 * @param what what the issuer is, to begin a sentence with, such as "The SSO's issuer"
 * @returns a sentence that says what to change; `undefined` if there is no objection
 */
export function objectionToIssuer(what: string, { issuer, requiredClaims }: IssuerChoice): string | undefined {
  if (!isSafeUrl(issuer)) return `${what} must be an https URL, exactly as in the discovery document`;
  if (/[?#]/.test(issuer)) return `${what} must have no query and no fragment (OpenID Connect Discovery §3)`;
  // Names of its groups and apps begin with the issuer and this character, so names of two issuers could be the same.
  if (issuer.includes("|")) return `${what} must not contain |`;
  const tenantObjection = isEntra(issuer) ? objectionToTenant(new URL(issuer)) : undefined;
  if (tenantObjection !== undefined) return tenantObjection;
  if (isGoogle(issuer) && requiredClaims["hd"] === undefined) {
    return "Google signs in everybody: require your organisation's domain with the claim hd=<domain>";
  }
  const { hostname, href } = new URL(issuer);
  if (PUBLIC_HOSTS.has(hostname) && Object.keys(requiredClaims).length === 0) {
    return `${hostname} signs in everybody: require a claim that only your organisation's tokens have`;
  }
  // Tokens are compared byte for byte, so a URL that a parser would normalise could never match.
  if (issuer !== href && `${issuer}/` !== href)
    return `${what} is not a normalised URL: use ${href}, with or without the trailing slash`;
  return undefined;
}

function objectionToTenant({ hostname, pathname }: URL): string | undefined {
  const tenant = pathname.split("/")[1]?.toLowerCase() ?? "";
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant) && tenant !== PERSONAL_ACCOUNTS_TENANT)
    return undefined;
  const form =
    hostname === "sts.windows.net" ? "https://sts.windows.net/<tenant id>/" : `https://${hostname}/<tenant id>/v2.0`;
  return `This issuer serves every organisation, or doesn't contain the tenant's id: use ${form}`;
}
