import { isSafeUrl } from "#issuers/safe-issuer.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Which of a platform's tokens stand for a machine. */
export interface WorkloadRule {
  /** Byte for byte the `iss` of its tokens. */
  readonly issuer: string;
  /** Where its keys are; what its discovery document says where this is not set. */
  readonly jwksUri?: string;
  /** Claims that must have exactly these texts. */
  readonly claims: Readonly<Record<string, string>>;
  /** Whether each token is good once. Off for platforms that give a workload one token for an hour, as Kubernetes does. */
  readonly isSingleUse: boolean;
}

const CLAIMS_MAX = 20;
const CHARACTERS_MAX = 500;

/** Claims with checks of their own. */
const CHECKED = new Set(["iss", "aud", "exp", "iat", "nbf", "jti"]);

/** At issuers that serve everybody: the claims of which one is needed to tell one organisation's workloads from all others. */
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

/** At any other issuer: the claims that name a workload. Others say how, where or when it runs, which anybody's may. */
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
 * Reads a rule as an administrator enters it.
 *
 * @throws {AdministrationRefused} where everybody at the issuer would satisfy it, or nobody could
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

/** Whether a token is of the workload: each claim is exactly that text, and no list that holds it. */
export function isOfWorkload({ claims }: WorkloadRule, payload: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(claims).every(([name, value]) => Object.hasOwn(payload, name) && payload[name] === value);
}

function refused(message: string): AdministrationRefused {
  return new AdministrationRefused(message, "proof");
}
