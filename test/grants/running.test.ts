import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type GrantState, isRefreshable, isRunning } from "#grants/grant.ts";
import { refreshable, running } from "#grants/running.sql.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";
import { knownPerson } from "../support/people.ts";
import { runs } from "../support/properties.ts";

const NOW = 1_000_000;
const IDLE_SECONDS = 3600;

/** Moments around those at which the result changes. */
const moment = fc.constantFrom(
  0,
  NOW - IDLE_SECONDS - 1,
  NOW - IDLE_SECONDS,
  NOW - IDLE_SECONDS + 1,
  NOW - 1,
  NOW,
  NOW + 1,
  NOW + IDLE_SECONDS,
);
const moments = fc.option(moment);

const state: fc.Arbitrary<GrantState> = fc.record({
  scope: fc.constantFrom("SEARCH", "SEARCH offline_access", "Offline_Access chat", "offline_accessory", "CHAT offline"),
  redeemedAt: moments,
  rotatedAt: moments,
  revokedAt: fc.option(moment, { freq: 1 }),
  expiresAt: moment,
  tokensUntil: moment,
});

describe("a running grant", () => {
  let instanceId: number;
  let personId: string;

  beforeAll(async () => {
    const instance = await makeInstance();
    instanceId = instance.id;
    personId = (await knownPerson(instance, "ben@acme.example")).id;
  });

  it("is the same in SQL and in code, whatever its row contains", async () => {
    let answers = { running: 0, refreshable: 0, neither: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(state, { minLength: 25, maxLength: 25 }), async (states) => {
        await env.DB.exec("DELETE FROM grants");
        const insert = env.DB.prepare(
          `INSERT INTO grants (id, instance_id, issuer, client_id, person_id, scope, resource, redirect_uri, code_hash,
             code_challenge, code_expires_at, created_at, redeemed_at, rotated_at, revoked_at, expires_at, tokens_until)
           VALUES (?1, ?2, '', '', ?3, ?4, '', '', ?1, '', 0, 0, ?5, ?6, ?7, ?8, ?9)`,
        );
        await env.DB.batch(
          states.map((grant, at) =>
            insert.bind(
              String(at),
              instanceId,
              personId,
              grant.scope,
              grant.redeemedAt,
              grant.rotatedAt,
              grant.revokedAt,
              grant.expiresAt,
              grant.tokensUntil,
            ),
          ),
        );
        const parameters = { now: "?1", idleSeconds: "?2" };
        const { results } = await env.DB.prepare(
          `SELECT ${running("g", parameters)} AS running, ${refreshable("g", parameters)} AS refreshable
           FROM grants g ORDER BY CAST(g.id AS INTEGER)`,
        )
          .bind(NOW, IDLE_SECONDS)
          .all();
        const expected = states.map((grant) => ({
          running: Number(isRunning(grant, IDLE_SECONDS, NOW)),
          refreshable: Number(isRefreshable(grant, IDLE_SECONDS, NOW)),
        }));
        expect(results).toEqual(expected);
        answers = {
          running: answers.running + expected.filter((answer) => answer.running && !answer.refreshable).length,
          refreshable: answers.refreshable + expected.filter((answer) => answer.refreshable).length,
          neither: answers.neither + expected.filter((answer) => !answer.running).length,
        };
      }),
      { numRuns: runs(20) },
    );
    for (const count of Object.values(answers)) expect(count).toBeGreaterThan(5);
  });
});
