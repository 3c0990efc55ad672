import type { SingleSignOn } from "#settings/settings.ts";

/** Returns the name of an SSO. */
export function labelOf({ label, issuer }: Pick<SingleSignOn, "label" | "issuer">): string {
  return label ?? new URL(issuer).host;
}

/** Returns the number of an SSO that is added to others. The first one has none, and the number of a removed one may be used again. */
export function nextNumber(others: readonly SingleSignOn[]): number | undefined {
  return others.length === 0 ? undefined : Math.max(...others.map(({ number = 1 }) => number)) + 1;
}
