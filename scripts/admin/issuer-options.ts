import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { draftFromPreset } from "#issuers/presets.ts";
import type { IssuerChanges } from "#issuers/registration.ts";
import type { Input, OptionTexts } from "./command.ts";
import { CommandLineError } from "./failures.ts";
import { parsePair, scopesIn } from "./option-values.ts";

/** The options that set fields of a configuration. */
export const CONFIGURATION_OPTIONS: OptionTexts = {
  "--name <name>": "what lists show",
  "--client-id <id> …": "an app whose tokens are accepted",
  "--accepts <what>": "access-tokens (the default), id-jags, or both",
  "--client-id-claim <claim>": "the claim that names the app",
  "--audience <audience> …": "an accepted audience; without one, any",
  "--algorithm <alg> …": "an accepted signature algorithm",
  "--person-by <how>": "email or subject",
  "--person-claim <claim>": "the claim that identifies the person",
  "--email-domain <domain> …": "an email domain of its people",
  "--email-vouched-by <who>": "token, or administrator",
  "--email-verified-claim <claim>": "the claim that says that the email is verified",
  "--groups-claim <claim>": "the claim that lists a person's groups",
  "--groups-meet-directory <yes|no>": "whether its groups are those of the directory",
  "--account-claim <claim>": "the claim with the permanent id of an account",
  "--require-claim <claim=value> …": "refuse tokens without it",
  "--scope <scopes> …": "what its tokens give access to at most; SEARCH by default",
  "--scopes-required <yes|no>": "whether a token must name its scopes",
  "--jwks-uri <url>": "where its keys are, if its discovery document does not say",
};

/** The inputs of presets. */
export const PRESET_OPTIONS: OptionTexts = {
  "--preset <preset>": "one of issuer presets, in place of --issuer",
  "--domain <domain>": "see issuer presets, as for all up to --token-version",
  "--tenant <tenant>": "",
  "--server <server>": "",
  "--realm <url>": "",
  "--namespace <url>": "",
  "--token-version <number>": "",
};

/** Members whose options have a different name. */
export const MEMBERS = { tokenVersion: "--token-version", requiredClaims: "--require-claim" };

/** The inputs of presets, without the preset itself. */
const PRESET_INPUTS = ["domain", "tenant", "server", "realm", "namespace", "token-version"] as const;

/** The scopes of an issuer by default. */
const USUAL_SCOPES = ["SEARCH"];

/**
 * Reads what `issuer add` requests: a preset with its inputs, or an issuer, with the fields of a configuration.
 *
 * @throws {CommandLineError} if the options contradict each other
 */
export function readDraft(input: Input): IssuerDraft {
  return { scopes: USUAL_SCOPES, ...withPreset(input, readConfiguration(input)) };
}

function withPreset(input: Input, given: IssuerDraft): IssuerDraft {
  const preset = input.option("preset");
  const issuer = input.option("issuer");
  if (preset === undefined) {
    const stray = PRESET_INPUTS.find((option) => input.option(option) !== undefined);
    if (stray !== undefined) throw new CommandLineError(`--${stray} belongs to a preset: use it with --preset`);
    if (issuer === undefined) throw new CommandLineError("Add --issuer <url> or --preset <preset>");
    return { name: URL.parse(issuer)?.hostname ?? issuer, ...given, issuer };
  }
  if (issuer !== undefined) throw new CommandLineError("A preset sets the issuer: use --issuer or --preset, not both");
  const { audiences: _audiences, ...otherwise } = given;
  const inputs = {
    domain: input.option("domain"),
    tenant: input.option("tenant"),
    server: input.option("server"),
    realm: input.option("realm"),
    namespace: input.option("namespace"),
    tokenVersion: input.option("token-version"),
    audiences: input.all("audience"),
  };
  return draftFromPreset(preset, inputs, otherwise);
}

/** Returns the fields that were given. An empty value removes the field, so that `edit` can reset it. */
export function readConfiguration(input: Input): IssuerChanges {
  const one = (option: string, field: keyof IssuerDraft) => {
    const value = input.option(option);
    return value === undefined ? {} : { [field]: value === "" ? undefined : value };
  };
  const many = (option: string, field: keyof IssuerDraft, read = (values: readonly string[]): unknown => values) => {
    const values = input.all(option);
    return values.length === 0 ? {} : { [field]: read(values.filter((value) => value !== "")) };
  };
  const yesOrNo = (option: string, field: keyof IssuerDraft) => {
    const value = input.option(option);
    if (value === undefined) return {};
    if (value !== "yes" && value !== "no") throw new CommandLineError(`--${option} must be yes or no`);
    return { [field]: value === "yes" };
  };
  const personBy = input.option("person-by");
  return {
    ...one("name", "name"),
    ...one("accepts", "accepts"),
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
    ...yesOrNo("groups-meet-directory", "groupsMeetDirectory"),
    ...many("require-claim", "requiredClaims", (pairs) =>
      Object.fromEntries(pairs.map((pair) => parsePair(pair, "<claim>=<value>"))),
    ),
    ...many("scope", "scopes", scopesIn),
    ...yesOrNo("scopes-required", "scopesRequired"),
    ...one("jwks-uri", "jwksUri"),
  };
}
