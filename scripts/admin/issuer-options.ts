import type { IssuerChanges, IssuerDraft } from "#issuers/configuration-rules.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { ISSUER_MEMBERS, ISSUER_WORDS } from "#issuers/issuer-members.ts";
import { draftFromPreset } from "#issuers/presets.ts";
import type { Member } from "#platform/described-members.ts";
import type { Input, OptionTexts } from "./command.ts";
import { CommandLineError } from "./failures.ts";
import { parsePair, scopesIn } from "./option-values.ts";

/** The options that set members of a configuration, by member. */
const OPTIONS = Object.entries(ISSUER_WORDS).flatMap(([member, { option }]) =>
  option === undefined ? [] : [[member as keyof ExternalIssuer, ...option] as const],
);

export const CONFIGURATION_OPTIONS: OptionTexts = Object.fromEntries(
  OPTIONS.map(([, usage, meaning]) => [usage, meaning]),
);

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

/** Returns the members that were given. An empty value removes the member, so that `edit` can reset it. */
export function readConfiguration(input: Input): IssuerChanges {
  const given = OPTIONS.flatMap(([member, usage]) => {
    const [option = ""] = usage.slice(2).split(" ");
    const values = usage.endsWith("…") ? input.all(option) : [input.option(option)].filter((one) => one !== undefined);
    return values.length === 0 ? [] : [[member, read(member, option, values)]];
  });
  return {
    ...(input.option("person-by") === "subject" ? { personClaim: "sub" } : {}),
    ...(Object.fromEntries(given) as IssuerChanges),
  };
}

function read(member: keyof ExternalIssuer, option: string, values: readonly string[]): unknown {
  const words = values.filter((value) => value !== "");
  if (member === "scopes") return scopesIn(words);
  const { field }: Member = ISSUER_MEMBERS[member];
  if (field?.as === "claims") return Object.fromEntries(words.map((pair) => parsePair(pair, "<claim>=<value>")));
  if (field?.as === "lines" || field?.as === "checkboxes") return words;
  if (field?.as !== "switch") return words[0];
  if (values[0] !== "yes" && values[0] !== "no") throw new CommandLineError(`--${option} must be yes or no`);
  return values[0] === "yes";
}
