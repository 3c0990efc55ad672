import type * as workerd from "@cloudflare/workers-types";

/**
 * The names of workerd's bindings, for code that is checked with Node's globals. Only names that Node does not have are here: all
 * of workers-types would redefine fetch, Request and others.
 */
declare global {
  const scheduler: workerd.Scheduler;
  type D1Database = workerd.D1Database;
  type D1PreparedStatement = workerd.D1PreparedStatement;
  type D1Result<Row = unknown> = workerd.D1Result<Row>;
  type DurableObjectNamespace = workerd.DurableObjectNamespace;
  type ExecutionContext = workerd.ExecutionContext;
  type KVNamespace = workerd.KVNamespace;
  type RateLimit = workerd.RateLimit;
}
