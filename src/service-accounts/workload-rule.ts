import { isSafeUrl } from "#issuers/safe-issuer.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** A rule that says which of a platform's tokens stand for a machine. */
export interface WorkloadRule {
  /** The `iss` of its tokens, byte for byte. */
  readonly issuer: string;
  /** The URL of its keys; if it is not set, the one in its discovery document. */
  readonly jwksUri?: string;
  /** The claims that must have exactly these values. */
  readonly claims: Readonly<Record<string, string>>;
  /** Whether each token works once. Turn it off for platforms that reuse a token for an hour, such as Kubernetes. */
  readonly isSingleUse: boolean;
}

const CLAIMS_MAX = 20;
const CHARACTERS_MAX = 500;

/** Claims that have their own checks. */
const CHECKED = new Set(["iss", "aud", "exp", "iat", "nbf", "jti"]);

/** For public issuers: a rule needs one of these claims, to tell one organisation's workloads from all others. */
const NARROWING: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "token.actions.githubusercontent.com",
    [
      "sub",
      "repository",
      "repository_id",
      "repository_owner",
      "repository_owner_id",
      "job_workflow_ref",
      "enterprise_id",
    ],
  ],
  ["gitlab.com", ["sub", "project_path", "project_id", "namespace_path", "namespace_id"]],
  ["accounts.google.com", ["sub", "email"]],
]);

/** For all other issuers: claims that name a workload. Claims about how, where or when it runs may be true of others too. */
const NAMES_A_WORKLOAD = [
  "sub",
  "oid",
  "appid",
  "azp",
  "client_id",
  "email",
  "project_id",
  "project_path",
  "repository",
];

/**
 * Validates a rule that an administrator enters.
 *
 * @throws {AdministrationRefused} if every workload at the issuer would match, or none could
 */
export function readWorkloadRule({ issuer, jwksUri, claims, isSingleUse }: WorkloadRule): WorkloadRule {
  if (issuer.length > CHARACTERS_MAX || !isSafeUrl(issuer)) {
    throw refused("The issuer must be an https URL, exactly as in the tokens");
  }
  if (jwksUri !== undefined && (jwksUri.length > CHARACTERS_MAX || !isSafeUrl(jwksUri))) {
    throw refused("The URL of the keys must be an https URL");
  }
  const entries = Object.entries(claims);
  if (entries.length > CLAIMS_MAX || entries.flat().some((text) => text === "" || text.length > CHARACTERS_MAX)) {
    throw refused(`At most ${CLAIMS_MAX} claims, each with a name and a text`);
  }
  const checked = entries.find(([name]) => CHECKED.has(name));
  if (checked) throw refused(`The claim ${checked[0]} has its own check: name a claim that identifies the workload`);
  const pattern = entries.find(([, value]) => value.includes("*"));
  if (pattern)
    throw refused(`Claims are compared exactly: ${pattern[1]} would never match. Make an account for each value`);
  const needed = NARROWING.get(new URL(issuer).hostname) ?? NAMES_A_WORKLOAD;
  if (!needed.some((name) => Object.hasOwn(claims, name))) {
    throw refused(`Everybody's workloads at this issuer would satisfy this rule: require one of ${needed.join(", ")}`);
  }
  return { issuer, ...(jwksUri === undefined ? {} : { jwksUri }), claims, isSingleUse };
}

/** Checks whether a token is the workload's: each claim must be exactly that text, not a list that contains it. */
export function isOfWorkload({ claims }: WorkloadRule, payload: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(claims).every(([name, value]) => Object.hasOwn(payload, name) && payload[name] === value);
}

function refused(message: string): AdministrationRefused {
  return new AdministrationRefused(message, "proof");
}
