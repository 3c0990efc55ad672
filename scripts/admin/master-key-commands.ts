import type { DatabaseCommand } from "./command.ts";
import { ACTOR } from "./context.ts";
import type { ResealReport } from "./master-keys/reseal.ts";
import type { SealedSecret } from "./master-keys/sealed-secrets.ts";

export const masterKeyCommands: readonly DatabaseCommand[] = [
  {
    asks: "database",
    usage: "master-key reseal",
    purpose:
      "encrypt stored secrets with the new master key, once the deployment has it, and show how long you need the old one",
    examples: ["master-key reseal --remote"],
    async run(_input, { bindings, services }) {
      const { resealSecrets } = await import("./master-keys/reseal.ts");
      const report = await resealSecrets(bindings, services, ACTOR);
      const { unopenable } = report;
      const failure = unopenable.length === 0 ? undefined : complaintOf(unopenable);
      return { answer: { ...report, unopenable: unopenable.length }, lines: linesOf(report), failure };
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

/** Describes a secret that no key can decrypt, and how to create it again. */
const NAMES: Readonly<Record<SealedSecret["kind"], (instance: string) => string>> = {
  "signing-key": (instance) => `a signing key of ${instance} (signing-key rotate ${instance} --compromised)`,
  "single-sign-on": (instance) => `the SSO's secret of ${instance} (sso set ${instance})`,
  "audit-receiver": (instance) =>
    `the Authorization header of the audit receiver of ${instance} (api ${instance} PUT /audit/delivery/authorization)`,
};

function complaintOf(secrets: readonly SealedSecret[]): string {
  const named = secrets.map(({ kind, instanceName }) => NAMES[kind](instanceName));
  return `No configured master key can decrypt: ${[...new Set(named)].join(", ")}. Put the key that encrypted it back into MASTER_KEYS, or create it again`;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
