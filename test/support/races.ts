import { expect } from "vitest";
import type { AppClient, TokenAnswer } from "./app-client.ts";
import type { Chance } from "./chance.ts";
import type { DirectGrant, DirectGrants } from "./direct-grants.ts";
import { env } from "./isolate.ts";

/** The number of responses of one race, by status. */
export type Tally = Record<number, number>;

interface GrantRow {
  readonly generation: number;
  readonly redeemed_at: number | null;
  readonly revoked_at: number | null;
}

/** Reads a grant from the database after the race. */
async function readGrant(grantId: string): Promise<GrantRow> {
  const statement = env.DB.prepare("SELECT generation, redeemed_at, revoked_at FROM grants WHERE id = ?1");
  const row = await statement.bind(grantId).first<GrantRow>();
  if (!row) throw new Error("the grant is gone");
  return row;
}

/** Fewer than one person may allow within an hour. */
const GRANTS_OF_PERSON = 40;

let granted = 0;

/** Creates a grant of a person who may still allow apps. */
function nextGrant(app: AppClient, grants: DirectGrants): Promise<DirectGrant> {
  const person = Math.floor(granted / GRANTS_OF_PERSON);
  granted += 1;
  return grants.grant(app, `racer-${person}@acme.example`);
}

/** Redeems one code several times at once, and expects that exactly one request gets tokens. */
export async function raceForCode(app: AppClient, grants: DirectGrants, racers: number): Promise<Tally> {
  const grant = await nextGrant(app, grants);
  const responses = await Promise.all(Array.from({ length: racers }, () => app.redeem(grant)));
  const answers = await Promise.all(responses.map((response) => response.json<{ error?: string }>()));
  const tally = tallyOf(responses);
  expect(tally).toEqual({ 200: 1, 400: racers - 1 });
  expect(answers.filter(({ error }) => error === "invalid_grant")).toHaveLength(racers - 1);
  expect((await readGrant(grant.grantId)).redeemed_at).not.toBeNull();
  return tally;
}

/**
 * Refreshes one token several times at once, and expects that all get the same successor, that the generation rises by one, and
 * that the successor works.
 */
export async function raceToRefresh(app: AppClient, grants: DirectGrants, racers: number): Promise<Tally> {
  const grant = await nextGrant(app, grants);
  const { refresh_token } = await redeemed(app, grant);
  const responses = await Promise.all(Array.from({ length: racers }, () => app.refresh(refresh_token)));
  const tally = tallyOf(responses);
  expect(tally).toEqual({ 200: racers });
  const successors = new Set<string | undefined>();
  for (const response of responses) successors.add((await response.json<TokenAnswer>()).refresh_token);
  expect(successors.size).toBe(1);
  expect(await readGrant(grant.grantId)).toMatchObject({ generation: 1, revoked_at: null });
  expect((await app.refresh([...successors][0])).status).toBe(200);
  return tally;
}

/**
 * Refreshes a token several times while the client revokes it, and expects that no refresh token works after the revocation,
 * whatever the refreshes returned.
 */
export async function raceWithRevocation(
  app: AppClient,
  grants: DirectGrants,
  chance: Chance,
  racers: number,
): Promise<Tally> {
  const grant = await nextGrant(app, grants);
  const { refresh_token } = await redeemed(app, grant);
  const revokesAt = chance.between(0, racers);
  const refreshing: Promise<Response>[] = [];
  let revoking: Promise<Response> | undefined;
  for (let racer = 0; racer <= racers; racer += 1) {
    if (racer === revokesAt) revoking = app.revoke(refresh_token);
    else refreshing.push(app.refresh(refresh_token));
    // Some start together, others while some are in progress.
    if (chance.happens(0.2)) await new Promise((resolve) => setTimeout(resolve, chance.between(0, 2)));
  }
  expect((await revoking)?.status).toBe(200);
  const late = await app.refresh(refresh_token);
  expect(late.status).toBe(400);
  const responses = await Promise.all(refreshing);
  const held = new Set([refresh_token]);
  for (const response of responses) {
    expect([200, 400]).toContain(response.status);
    if (response.status === 200) held.add((await response.json<TokenAnswer>()).refresh_token);
  }
  expect(held.size).toBeLessThanOrEqual(2);
  for (const token of held) expect((await app.refresh(token)).status).toBe(400);
  const { generation, revoked_at } = await readGrant(grant.grantId);
  expect(revoked_at).not.toBeNull();
  expect(generation).toBe(held.size - 1);
  return tallyOf(responses);
}

export function addTally(sum: Tally, tally: Tally): void {
  for (const [status, count] of Object.entries(tally)) sum[Number(status)] = (sum[Number(status)] ?? 0) + count;
}

async function redeemed(app: AppClient, grant: DirectGrant): Promise<TokenAnswer> {
  const response = await app.redeem(grant);
  expect(response.status).toBe(200);
  return response.json<TokenAnswer>();
}

function tallyOf(responses: readonly Response[]): Tally {
  const tally: Tally = {};
  for (const { status } of responses) addTally(tally, { [status]: 1 });
  return tally;
}
