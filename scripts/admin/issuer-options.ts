import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { parseScope } from "#protocol/scopes.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { draftFromPreset } from "#issuers/presets.ts";
import type { IssuerChanges } from "#issuers/registration.ts";
import { type Arguments, parseClaim } from "./arguments.ts";
import { UsageError } from "./context.ts";

/** The options that are fields of a configuration. */
export const CONFIGURATION_OPTIONS = {
  name: { type: "string" },
  "client-id": { type: "string", multiple: true },
  "client-id-claim": { type: "string" },
  audience: { type: "string", multiple: true },
  algorithm: { type: "string", multiple: true },
  "person-by": { type: "string" },
  "person-claim": { type: "string" },
  "email-domain": { type: "string", multiple: true },
  "email-vouched-by": { type: "string" },
  "email-verified-claim": { type: "string" },
  "groups-claim": { type: "string" },
  "groups-meet-directory": { type: "string" },
  "account-claim": { type: "string" },
  "require-claim": { type: "string", multiple: true },
  scope: { type: "string", multiple: true },
  "jwks-uri": { type: "string" },
} as const;

/** The options that presets are made from. */
export const PRESET_OPTIONS = {
  preset: { type: "string" },
  domain: { type: "string" },
  tenant: { type: "string" },
  server: { type: "string" },
  realm: { type: "string" },
  namespace: { type: "string" },
  "token-version": { type: "string" },
} as const;

/** The least that makes a token useful. */
const USUAL_SCOPES = ["SEARCH"];

/** The same, as help shows them. */
export const CONFIGURATION_USAGE =
  "[--client-id-claim <claim>] [--audience <audience> …] [--algorithm <alg> …] [--person-by email|subject]\n" +
  "      [--person-claim <claim>] --email-domain <domain> … [--email-vouched-by token|administrator] [--email-verified-claim <claim>] [--groups-claim <claim>] [--groups-meet-directory yes|no]\n" +
  "      [--account-claim <claim>] [--require-claim <claim>=<value> …] [--scope <SEARCH …>] [--jwks-uri <url>] [--name <name>]";

/**
 * What `issuer add` is asked for: a preset with its inputs, or an issuer, with the fields of a configuration.
 *
 * @throws {UsageError} when the options do not go together
 */
export function readDraft(args: Arguments): IssuerDraft {
  return { scopes: USUAL_SCOPES, ...withPreset(args, readConfiguration(args)) };
}

function withPreset(args: Arguments, given: IssuerDraft): IssuerDraft {
  const preset = args.option("preset");
  const issuer = args.option("issuer");
  if (preset === undefined) {
    const stray = Object.keys(PRESET_OPTIONS).find((option) => args.option(option) !== undefined);
    if (stray !== undefined) throw new UsageError(`--${stray} belongs to a preset: use it with --preset`);
    const url = args.required("issuer");
    return { name: URL.canParse(url) ? new URL(url).hostname : url, ...given, issuer: url };
  }
  if (issuer !== undefined) throw new UsageError("A preset sets the issuer: use --issuer or --preset, not both");
  const { audiences: _audiences, ...otherwise } = given;
  const inputs = {
    domain: args.option("domain"),
    tenant: args.option("tenant"),
    server: args.option("server"),
    realm: args.option("realm"),
    namespace: args.option("namespace"),
    tokenVersion: args.option("token-version"),
    audiences: args.all("audience"),
  };
  try {
    return draftFromPreset(preset, inputs, otherwise);
  } catch (error) {
    throw error instanceof AdministrationRefused ? withOption(error) : error;
  }
}

/** Options that are given once for each value of a list. */
const PLURALS: Readonly<Record<string, string>> = { audiences: "audience", emailDomains: "email-domain" };

/** What the rules refuse, with the option that sets it. */
function withOption({ member, message }: AdministrationRefused): UsageError {
  if (member === undefined) return new UsageError(message);
  const option = PLURALS[member] ?? member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new UsageError(`${message} (--${option})`);
}

/** The fields that are given. An empty value stands for none, so that `edit` can take one back. */
export function readConfiguration(args: Arguments): IssuerChanges {
  const one = (option: string, field: keyof IssuerDraft) => {
    const value = args.option(option);
    return value === undefined ? {} : { [field]: value === "" ? undefined : value };
  };
  const many = (option: string, field: keyof IssuerDraft, read = (values: readonly string[]): unknown => values) => {
    const values = args.all(option);
    return values.length === 0 ? {} : { [field]: read(values.filter((value) => value !== "")) };
  };
  const personBy = args.option("person-by");
  const groupsMeetDirectory = args.option("groups-meet-directory");
  if (groupsMeetDirectory !== undefined && groupsMeetDirectory !== "yes" && groupsMeetDirectory !== "no") {
    throw new UsageError("--groups-meet-directory must be yes or no");
  }
  return {
    ...one("name", "name"),
    ...many("client-id", "clientIds"),
    ...one("client-id-claim", "clientIdClaim"),
    ...many("audience", "audiences"),
    ...many("algorithm", "algorithms"),
    ...one("person-by", "personBy"),
    ...(personBy === "subject" ? { personClaim: "sub" } : {}),
    ...one("person-claim", "personClaim"),
    ...many("email-domain", "emailDomains"),
    ...one("account-claim", "accountClaim"),
    ...one("email-vouched-by", "emailVouchedBy"),
    ...one("email-verified-claim", "emailVerifiedClaim"),
    ...one("groups-claim", "groupsClaim"),
    ...(groupsMeetDirectory === undefined ? {} : { groupsMeetDirectory: groupsMeetDirectory === "yes" }),
    ...many("require-claim", "requiredClaims", (pairs) => Object.fromEntries(pairs.map(parseClaim))),
    ...many("scope", "scopes", (lists) =>
      lists.flatMap((list) => list.split(/[ ,]+/)).map((word) => parseScope(word) ?? word),
    ),
    ...one("jwks-uri", "jwksUri"),
  };
}
