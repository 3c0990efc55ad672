import type { ConsentScope } from "./consent-scope.ts";

/** A condition, and the values of its parameters. */
export interface ScopeCondition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/**
 * A scope as a condition on a table with `instance_id`, `person_id` and `client_id`.
 *
 * Each kind is written out, so that an id which is missing can never mean everybody's.
 *
 * @param first the number of its first parameter
 */
export function inScope(instanceId: number, scope: ConsentScope, first = 1): ScopeCondition {
  let columns: readonly [column: string, value: string | number][];
  switch (scope.kind) {
    case "person":
      columns = [["person_id", scope.personId]];
      break;
    case "client":
      columns = [["client_id", scope.clientId]];
      break;
    case "client-of-person":
      columns = [
        ["person_id", scope.personId],
        ["client_id", scope.clientId],
      ];
      break;
    case "instance":
      columns = [];
      break;
  }
  columns = [["instance_id", instanceId], ...columns];
  return {
    sql: columns.map(([column], at) => `${column} = ?${first + at}`).join(" AND "),
    values: columns.map(([, value]) => value),
  };
}
