import { afterAll, expect, it } from "vitest";
import { search } from "./app-client.ts";
import { readRefusal } from "./challenge.ts";
import type { Attack } from "./jwt-attacks.ts";
import { ANNOUNCED } from "./test-issuer.ts";

/** A status, and its error code. */
export type Outcome = readonly [status: number, error?: string];

/** RFC 6750 §2.1's b64token. Anything else is not even read as a token. */
const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const INVALID_TOKEN: Outcome = [401, "invalid_token"];
const INVALID_SECRET: Outcome = [401, "invalid_secret"];

/** Attacks whose claims nobody can read. Nothing shows that another issuer signed them, so the answer names no header. */
const ILLEGIBLE_CLAIMS: ReadonlySet<string> = new Set([
  "a token inside a token",
  "a + that stands for nothing in the claims",
  "claims that are null",
]);

/** Attacks that the tests of a file tried, announced or not, and those that got in. */
const count = { tried: 0, letIn: 0 };

/** Returns the outcome of a search with a token. */
export async function outcomeOf(token: string, headers: Record<string, string> = ANNOUNCED): Promise<Outcome> {
  const response = await search(token, undefined, headers);
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

/**
 * Checks that no attack gets in, and which error each one gets: `announced` if the token is announced as an identity provider's,
 * and otherwise `silent`, by default 401 `invalid_secret`, because then it can only be meant as a token of this service.
 * A token that nobody can read gets 401 `invalid_token` without the announcement.
 */
export function refusesAnnounced(attacks: readonly Attack[], announced = INVALID_TOKEN, silent = INVALID_SECRET): void {
  it.each(attacks)("refuses %s", async (what, make) => {
    const token = await make();
    const outcomes = [await outcomeOf(token), await outcomeOf(token, {})];
    count.tried += 1;
    if (outcomes.some(([status]) => status < 400)) count.letIn += 1;
    const legible = B64_TOKEN.test(token) && !ILLEGIBLE_CLAIMS.has(what);
    expect(outcomes).toEqual([announced, legible ? silent : INVALID_TOKEN]);
  });
}

/** Prints at the end of a file how many attacks were tried and got in, and checks the numbers. */
export function countsAttacks(triedAtLeast: number): void {
  afterAll(() => {
    console.info(`attacks tried: ${count.tried}, let in: ${count.letIn}`);
    expect(count.letIn).toBe(0);
    expect(count.tried).toBeGreaterThanOrEqual(triedAtLeast);
  });
}
