import { env } from "./isolate.ts";

/** The numbers from 1 to ?1. */
const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";

const NOW = "unixepoch()";
const CLIENT = "redirect_uris, scopes, token_endpoint_auth_method, is_public, created_at, changed_at, is_pending";
const URIS = `'["https://app.example/cb"]', '["SEARCH"]', 'none', 1`;

/**
 * The number of rows of each table, far more than any request needs, and what inserts them. ?1 is the number, ?2 the instance.
 */
const FILLS: readonly (readonly [table: string, rows: number, columns: string, values: string])[] = [
  [
    "people",
    4000,
    "id, sso_issuer, sso_subject, email, name, created_at, role",
    "'p' || i, 'https://sso.example', 'p' || i, i || '@many.example', 'Person ' || i, i, iif(i % 100 = 0, 'auditor', NULL)",
  ],
  ["linked_accounts", 4000, "issuer, subject, person_id, linked_at", "'https://sso.example', 'p' || i, 'p' || i, 0"],
  [
    "directory_users",
    4000,
    "id, directory, person_id, user_name, is_active, attributes, revision, created_at, changed_at",
    "'u' || i, 'okta', 'p' || i, i || '@many.example', 1, '{}', 'r', i, i",
  ],
  [
    "directory_groups",
    2500,
    "id, directory, name, display_name, revision, created_at, changed_at",
    "'g' || i, 'okta', 'group ' || i, 'Group ' || i, 'r', i, i",
  ],
  ["directory_members", 3000, "group_id, user_id", "'g' || (i % 100 + 1), 'u' || i"],
  [
    "clients",
    600,
    `id, kind, app, name, ${CLIENT}`,
    `'made' || i, 'static', 'made' || i, 'App ' || i, ${URIS}, i, i, 0`,
  ],
  [
    "clients",
    2000,
    `id, kind, app, name, ${CLIENT}`,
    `'self' || i, 'dynamic', 'self' || (i % 500), 'App ' || i, ${URIS}, ${NOW}, ${NOW}, i % 2`,
  ],
  [
    "authorization_requests",
    3000,
    "handle_hash, stage, browser_hash, client_id, request, person_id, expires_at",
    `'r' || i, 'consent', 'b', 'made' || (i % 500 + 1), '{}', 'p' || i, ${NOW} + 900`,
  ],
  [
    "sessions",
    3000,
    "secret_hash, person_id, created_at, last_used_at, expires_at",
    `'s' || i, 'p' || (i / 20 + 1), ${NOW}, ${NOW}, ${NOW} + 3600`,
  ],
  [
    "grants",
    3000,
    `id, issuer, client_id, person_id, scope, resource, redirect_uri, code_hash, code_challenge, code_expires_at, redeemed_at,
     created_at, expires_at, tokens_until`,
    `'n' || i, 'i', 'made' || (i % 500 + 1), 'p' || (i / 100 + 1), '["SEARCH"]', 'r', 'https://app.example/cb', 'c' || i, 'c', 0, ${NOW},
     ${NOW}, ${NOW} + 86400, ${NOW} + 600`,
  ],
  [
    "service_tokens",
    2500,
    "id, kind, name, scopes, person_id, created_by, created_at, changed_at, expires_at",
    `'t' || i, 'client-api', 'Token ' || i, '["SEARCH"]', 'p' || i, 'test', i, i, ${NOW} + 86400`,
  ],
  ["spent_ids", 3000, "purpose, id_hash, expires_at", `'form', 'f' || i, ${NOW} + 3600`],
  // Before the first entry, so that the chain continues after them.
  [
    "audit",
    3000,
    "sequence, at, actor, event, detail, previous_hash, hash",
    `-i, ${NOW}, 'test', 'client_disabled', '{"clientId":"made1"}', 'h', 'h'`,
  ],
  ["usage_counts", 1500, "day, kind, name, count", `${NOW} / 86400 - i % 30, 'refusal', 'n' || i, 1`],
  ["connection_steps", 500, "at, request_id, step, is_of_person", `${NOW}, 'r', 'refused', 0`],
  ["connection_steps", 500, "at, request_id, step, is_of_person", `${NOW}, 'r', 'returned', 1`],
  ["policy_changes", 2000, "kind, subject, at", `'grant', 'n' || i, ${NOW}`],
];

/**
 * Fills the tables that can grow long, for an instance and another one. So if a request reads more rows than route-limits.md
 * states, this shows. No limit includes rows of another instance.
 *
 * @returns the number of rows that the instance has in each table
 */
export async function fillTables(instanceId: number, otherId: number): Promise<ReadonlyMap<string, number>> {
  for (const [table, rows, columns, values] of FILLS) {
    // Ids are unique across instances.
    for (const [id, named] of [
      [instanceId, values] as const,
      [otherId, values.replaceAll(/'(?=[a-z]+' \|\| )/g, "'other-")] as const,
    ]) {
      await env.DB.prepare(`${NUMBERS} INSERT INTO ${table} (instance_id, ${columns}) SELECT ?2, ${named} FROM n`)
        .bind(rows, id)
        .run();
    }
  }
  const tables = [...new Set(FILLS.map(([table]) => table))];
  const counted = await env.DB.batch<{ n: number }>(
    tables.map((table) => env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE instance_id = ?1`).bind(instanceId)),
  );
  return new Map(tables.map((table, at) => [table, counted[at]?.results[0]?.n ?? 0]));
}
