import { MADE_PER_INSTANCE } from "#clients/client-decisions.ts";
import { CONSENTS_PER_PERSON } from "#consents/remembered-consents.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { ROWS_PER_BATCH } from "#platform/sweep.ts";
import { TOKENS_PER_INSTANCE } from "#service-tokens/token-listing.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { issueClientApiToken, issueIndexingToken, makeInstance, makeStaticClient } from "../support/world.ts";

/** Numbers from 1, as many as ?1. */
const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";

let instance: InstanceRecord;
let other: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
  other = await makeInstance("other");
});

function rowsOf(table: string): Promise<number | null> {
  return env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE instance_id = ?1`).bind(instance.id).first("n");
}

/** Leaves room for one more. */
async function fill(insert: string, rows: number): Promise<void> {
  await env.DB.prepare(`${NUMBERS} ${insert}`).bind(rows, instance.id).run();
}

describe("a table at its bound (docs/limits.md)", () => {
  it("takes no more service-issued tokens, and another instance's are no matter", async () => {
    await fill(
      `INSERT INTO service_tokens (id, instance_id, kind, name, scopes, created_at, changed_at, expires_at)
       SELECT 't' || i, ?2, 'indexing', 't', '[]', 0, 0, 1 FROM n`,
      TOKENS_PER_INSTANCE - 1,
    );
    await issueIndexingToken(instance, "documents:global_scope");
    await expect(issueIndexingToken(instance, "documents:global_scope")).rejects.toThrow(/10000 tokens already/);
    const people = await rowsOf("people");
    await expect(issueClientApiToken(instance, "cleo@acme.example", "SEARCH")).rejects.toThrow(/10000 tokens already/);
    expect(await rowsOf("people")).toBe(people);
    expect(await rowsOf("service_tokens")).toBe(TOKENS_PER_INSTANCE);
    await issueIndexingToken(other, "documents:global_scope");
  });

  it("is swept of tokens that ended long ago, in batches, until nothing is left", async () => {
    expect(TOKENS_PER_INSTANCE).toBeGreaterThan(2 * ROWS_PER_BATCH);
    const { maintenance } = servicesOf(env);
    await maintenance.run();
    expect(await rowsOf("service_tokens")).toBe(1);
    expect((await maintenance.last())?.failed).toEqual([]);
    await issueIndexingToken(instance, "documents:global_scope");
  });

  it("takes no more apps of administrators", async () => {
    await fill(
      `INSERT INTO clients (id, instance_id, kind, name, redirect_uris, scopes, token_endpoint_auth_method, is_public,
         created_at, changed_at)
       SELECT 'c' || i, ?2, 'static', 'c', '[]', '[]', 'none', 1, 0, 0 FROM n`,
      MADE_PER_INSTANCE - 1,
    );
    await makeStaticClient(instance);
    await expect(makeStaticClient(instance)).rejects.toThrow(/1000 apps already/);
    await makeStaticClient(other);
  });

  it("remembers no more answers of one person, but what is remembered stays", async () => {
    const person = await knownPerson(instance, "ben@acme.example");
    const grants = new DirectGrants(instance);
    await fill(
      `INSERT INTO remembered_consents (instance_id, person_id, client_id, redirect_uri, scopes, given_at)
       SELECT ?2, '${person.id}', 'c' || i, 'https://app.example/cb', '["SEARCH"]', 0 FROM n`,
      CONSENTS_PER_PERSON - 1,
    );
    const app = (id: string) => AppClient.of(id, "https://app.example/cb");
    await grants.grant(app("c900"), "ben@acme.example", "SEARCH", 3600, ["SEARCH"]);
    await grants.grant(app("c901"), "ben@acme.example", "SEARCH", 3600, ["SEARCH"]);
    await grants.grant(app("c1"), "ben@acme.example", "SEARCH", 3600, ["SEARCH", "CHAT"]);
    const { results } = await env.DB.prepare(
      "SELECT client_id, scopes FROM remembered_consents WHERE person_id = ?1 AND client_id IN ('c1', 'c900', 'c901')",
    )
      .bind(person.id)
      .all();
    expect(results).toEqual([
      { client_id: "c1", scopes: '["SEARCH","CHAT"]' },
      { client_id: "c900", scopes: '["SEARCH"]' },
    ]);
  });
});
