import { env } from "cloudflare:workers";
import { HELD_PRINCIPALS, HELD_PRINCIPALS_BY_EMAIL } from "#search-index/held-principals.sql.ts";
import { beforeAll, describe, expect, it } from "vitest";

const COUNT_HELD = `WITH ${HELD_PRINCIPALS} SELECT count(*) AS held FROM held`;

/** Somebody in 500 groups of the directory, 20 accounts, and at the bottom of 100 chains of 10 groups each; others in as many. */
async function makeCrowd(): Promise<void> {
  const groups = Array.from({ length: 500 }, (_, at) => `team-${at}`);
  await env.DB.batch(
    [
      "INSERT INTO instances (id, name, settings, created_at) VALUES (1, 'acme', '{}', 0)",
      `INSERT INTO people (id, instance_id, email, name, directory_groups, created_at) VALUES ('ben', 1, 'ben@acme.example', 'Ben', '${JSON.stringify(groups)}', 0)`,
      "INSERT INTO principals (instance_id, kind) VALUES (1, 'everyone')",
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 9999)
       INSERT INTO principals (instance_id, kind, datasource, name) SELECT 1, 'group', 'wiki', 'team-' || at FROM n`,
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 9999)
       INSERT INTO principals (instance_id, kind, datasource, name) SELECT 1, 'person', '', 'person-' || at || '@acme.example' FROM n`,
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 19)
       INSERT INTO datasource_users (instance_id, datasource, user_id, email, name) SELECT 1, 'source-' || at, 'U', 'ben@acme.example', 'Ben' FROM n`,
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 9999)
       INSERT INTO datasource_users (instance_id, datasource, user_id, email, name) SELECT 1, 'source-' || (at % 20), at, 'person-' || at || '@acme.example', 'x' FROM n`,
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 999)
       INSERT INTO datasource_groups (instance_id, datasource, name) SELECT 1, 'source-' || (at / 10 % 20), 'chain-' || at FROM n`,
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 999)
       INSERT INTO memberships (instance_id, datasource, member_kind, member, group_name)
       SELECT 1, 'source-' || (at / 10 % 20), CASE at % 10 WHEN 0 THEN 'user' ELSE 'group' END,
         CASE at % 10 WHEN 0 THEN 'U' ELSE 'chain-' || (at - 1) END, 'chain-' || at FROM n`,
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 19999)
       INSERT INTO memberships (instance_id, datasource, member_kind, member, group_name)
       SELECT 1, 'source-' || (at % 20), 'user', 'other-' || at, 'chain-' || (at % 1000) FROM n`,
      `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 999)
       INSERT INTO principals (instance_id, kind, datasource, name)
       SELECT 1, 'group', 'source-' || (at / 10 % 20), 'chain-' || at FROM n`,
    ].map((statement) => env.DB.prepare(statement)),
  );
}

describe("who a person is", () => {
  beforeAll(makeCrowd);

  it.each([
    ["by id", HELD_PRINCIPALS],
    ["by email", HELD_PRINCIPALS_BY_EMAIL],
  ])("is found by index look-ups alone, %s", async (_how, tables) => {
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN WITH ${tables} SELECT id FROM held`)
      .bind(1, "ben")
      .all<{ detail: string }>();
    const steps = results.map((row) => row.detail);
    // What may be walked is the person's own: what was read of them before.
    const walked = steps.filter((step) => step.startsWith("SCAN"));
    const own =
      /^SCAN (person|account|a|inactive|directory|d|g VIRTUAL TABLE|member_of|o|held|held_group|h|CONSTANT ROW|\d+)\b/;
    expect(walked.filter((step) => !own.test(step))).toEqual([]);
    // On each table the look-up is by what the person has, never by the instance alone.
    const lookups = steps.filter((step) => /^SEARCH (u|m|p|g|i)\b/.test(step));
    expect(lookups.length).toBeGreaterThan(8);
    expect(lookups.filter((step) => /\((instance_id=\?)?( AND (kind|member_kind)=\?)?\)$/.test(step))).toEqual([]);
  });

  it("is a matter of what they have, not of what there is", async () => {
    const { results, meta } = await env.DB.prepare(COUNT_HELD).bind(1, "ben").all<{ held: number }>();
    expect(results).toEqual([{ held: 1 + 500 + 1000 }]);
    expect(meta.rows_read).toBeLessThan(10 * 1501);
  });
});
