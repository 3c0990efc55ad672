import { isRotationOverdue, type SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { D1ClientDirectory } from "#clients/client-directory.d1.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import type { Documents } from "#documents/documents.ts";
import type { HeldUpload } from "#documents/uploads/uploads.ts";
import { readListQuery } from "#platform/listing.ts";
import type { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import type { Usage } from "#usage/usage.ts";

/** What needs an administrator's attention. */
export interface Decisions {
  readonly appsWaiting: number;
  readonly tokensExpiring: readonly { readonly name: string; readonly createdAt: number; readonly expiresAt: number }[];
  /** Uploads that would remove much. */
  readonly held: readonly HeldUpload[];
  /** Whether the signing key was not rotated when it was due. */
  readonly isKeyOverdue: boolean;
  readonly haveRefusalsRisen: boolean;
}

/** What the decisions are read from. */
export interface DecisionReads {
  readonly clientDirectory: Pick<D1ClientDirectory, "list">;
  readonly documents: Pick<Documents, "stats">;
  readonly issuedTokens: Pick<D1ServiceTokens, "list">;
  readonly signingKeys: Pick<SigningKeys, "list">;
  readonly usage: Pick<Usage, "overview">;
}

const WAITING = readListQuery(
  CLIENT_LIST,
  new Map([
    ["state", "waiting"],
    ["limit", "1"],
  ]),
);

/** As many tokens as a list has; those that expire first come first. */
const RUNNING = readListQuery(
  TOKEN_LIST,
  new Map([
    ["state", "running"],
    ["sort", "expiresAt"],
    ["limit", "500"],
  ]),
);

/** Long enough to replace a token in the programs that use it. */
export const SOON_SECONDS = 14 * 86_400;

/** The fewest refusals a day that need attention. Fewer can come from a single app that somebody is trying out. */
const REFUSALS_MIN = 20;

/** A count needs attention if it is more than this many times the usual count. */
const RISE = 2;

/** The usual count is the average of this many days before today. */
const USUAL_DAYS = 7;

/** Reads what needs a decision now, with the counts and documents that it comes from. */
export async function readDecisions(reads: DecisionReads, instanceId: number, now: number) {
  const [usage, apps, tokens, keys, stats] = await Promise.all([
    reads.usage.overview(instanceId),
    reads.clientDirectory.list(instanceId, WAITING),
    reads.issuedTokens.list(instanceId, RUNNING, now),
    reads.signingKeys.list(instanceId),
    // The doctor tells if the documents don't answer.
    reads.documents.stats(instanceId).catch(() => undefined),
  ]);
  const decisions: Decisions = {
    appsWaiting: apps.total,
    tokensExpiring: expiringSoon(tokens.items, now),
    held: stats?.held ?? [],
    isKeyOverdue: isRotationOverdue(keys, now),
    haveRefusalsRisen: hasRisen(usage.days.map(({ refusals }) => refusals)),
  };
  return { decisions, usage, stats };
}

/** Returns the tokens that expire soon, soonest first. */
export function expiringSoon<Token extends { readonly expiresAt: number | null }>(
  tokens: readonly Token[],
  now: number,
): (Token & { readonly expiresAt: number })[] {
  return tokens
    .flatMap((token) => (token.expiresAt === null ? [] : [{ ...token, expiresAt: token.expiresAt }]))
    .filter(({ expiresAt }) => expiresAt < now + SOON_SECONDS)
    .sort((one, other) => one.expiresAt - other.expiresAt);
}

/** Checks whether today's count is far above that of the days before. @param counts by day, today's last */
export function hasRisen(counts: readonly number[]): boolean {
  const today = counts.at(-1) ?? 0;
  const before = counts.slice(-1 - USUAL_DAYS, -1);
  const usual = before.reduce((sum, count) => sum + count, 0) / Math.max(before.length, 1);
  return today >= REFUSALS_MIN && today > usual * RISE;
}
