import type { ResealReport } from "#administration/master-key-acts.ts";
import type { SealedSecret } from "#master-keys/sealed-secrets.ts";
import { servicesOf } from "#services.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACTOR, UsageError } from "./context.ts";

export const masterKeyCommands: readonly Command[] = [
  {
    name: "master-key reseal",
    usage: "",
    purpose:
      "once the deployment has a new master key in front: encrypt stored secrets with it, and show how long you need the old one",
    async run(words, { bindings, print }) {
      parseArguments(words, {});
      const report = await servicesOf(bindings).administration.masterKeys.reseal(ACTOR);
      for (const line of linesOf(report)) print(line);
      if (report.unopenable.length > 0) throw new UsageError(complaintOf(report.unopenable));
      return { ...report, unopenable: 0 };
    },
  },
];

function linesOf({
  currentKey,
  currentSince,
  resealed,
  olderKeys,
  oldRefreshTokens,
  olderKeysNeededUntil,
}: ResealReport): string[] {
  const lines = [
    `${currentKey} is the current master key, since ${timeOf(currentSince)}.`,
    resealed === 0 ? "It encrypts every secret." : `Encrypted with it: ${resealed}.`,
  ];
  if (olderKeys.length === 0) return lines;
  const older = olderKeys.join(", ");
  return [
    ...lines,
    olderKeysNeededUntil === null
      ? `Nothing needs ${older} any more: remove it from MASTER_KEYS.`
      : `Keep ${older} until ${timeOf(olderKeysNeededUntil)}: ${oldRefreshTokens} grants may have a refresh token that needs it. Then run this again.`,
  ];
}

function complaintOf(secrets: readonly SealedSecret[]): string {
  const named = secrets.map(({ kind, instanceName }) =>
    kind === "signing-key"
      ? `a signing key of ${instanceName} (signing-key rotate ${instanceName} --compromised)`
      : `the SSO's secret of ${instanceName} (sso set ${instanceName})`,
  );
  return `No configured master key can decrypt: ${[...new Set(named)].join(", ")}. Put the key that encrypted it back into MASTER_KEYS, or create it again`;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
