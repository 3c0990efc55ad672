import { SCHEMA_STEPS } from "./schema.sql.ts";

/** The key of an advisory lock that no other application takes. */
const LOCK = 0x6a7e_d0c5;

/**
 * Brings the tables to the newest version in one transaction: applies each step that the table of versions doesn't list. A second
 * caller waits and then finds nothing to do.
 */
export const MIGRATION = `SELECT pg_advisory_xact_lock(${LOCK});
  CREATE SCHEMA IF NOT EXISTS gatehouse;
  SET LOCAL search_path = gatehouse;
  CREATE TABLE IF NOT EXISTS schema_versions (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
  ${SCHEMA_STEPS.map((step, at) => stepText(step, at + 1)).join("\n")}`;

/** Returns SQL that applies a step unless it was applied before. */
function stepText(step: string, version: number): string {
  return `DO $gatehouse$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM schema_versions WHERE version = ${version}) THEN
      ${step}
      INSERT INTO schema_versions (version) VALUES (${version});
    END IF;
  END $gatehouse$;`;
}
