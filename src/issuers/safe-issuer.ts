import { BoundedMap } from "#platform/bounded-map.ts";

/** What decides whether an issuer may say who people are. */
export interface IssuerChoice {
  readonly issuer: string;
  /** Claims that must have exactly these values. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** Where Entra signs, the clouds of single countries included; the first segment of the path is the tenant. */
const ENTRA_HOSTS = new Set([
  "login.microsoftonline.com",
  "login.microsoftonline.us",
  "login.partner.microsoftonline.cn",
  "sts.windows.net",
]);

/** The tenant of everybody's personal accounts at Microsoft. */
const PERSONAL_ACCOUNTS_TENANT = "9188040d-6c67-4c5b-b112-36a304b66dad";

/** Issuers that sign in whoever has an account, or let whoever likes have tokens signed. */
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

/** Issuers whose hosts an isolate remembers. */
const HOSTS_MAX = 1000;

/** What a token means depends on its issuer's host in four places, and parsing a URL leads out of JavaScript and back. */
const hosts = new BoundedMap<string, string>(HOSTS_MAX);

/** The host of an issuer's URL, without the port. */
export function hostOf(issuer: string): string {
  const known = hosts.get(issuer);
  if (known !== undefined) return known;
  const { hostname } = new URL(issuer);
  hosts.set(issuer, hostname);
  return hostname;
}

/** Whether an issuer is an Entra tenant. */
export function isEntra(issuer: string): boolean {
  return ENTRA_HOSTS.has(hostOf(issuer));
}

/** Whether an issuer is Google's, the only one there is. */
export function isGoogle(issuer: string): boolean {
  return hostOf(issuer) === "accounts.google.com";
}

/** Whether keys and metadata may come from a URL: https, or the machine itself; nothing that hides where it leads. */
export function isSafeUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const isLoopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(url);
  const { username, password, hash } = new URL(url);
  return (url.startsWith("https://") || isLoopback) && `${username}${password}${hash}` === "" && !url.endsWith("#");
}

/**
 * What speaks against trusting an issuer with who people are. One that serves the whole world signs in the whole world, unless
 * a claim says which organisation is meant.
 *
 * @param what the issuer's part in a sentence, such as "The SSO's issuer"
 * @returns a sentence that says what to change; `undefined` where nothing speaks against it
 */
export function objectionToIssuer(what: string, { issuer, requiredClaims }: IssuerChoice): string | undefined {
  if (!isSafeUrl(issuer)) return `${what} must be an https URL, exactly as in the discovery document`;
  if (/[?#]/.test(issuer)) return `${what} must have no query and no fragment (OpenID Connect Discovery §3)`;
  // Names of its groups and apps begin with the issuer and this character: those of two issuers could be the same.
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
  // Tokens are compared byte for byte: what a URL parser would tidy up could never match.
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
