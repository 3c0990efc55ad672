import { isJurisdiction } from "#documents/sharding/layout.ts";
import { type EngineName, shardsOf, whereOf } from "./engines.ts";

/** Says what keeps documents, as pages do: "2 Durable Objects in the jurisdiction eu". */
export function engineInWords(name: EngineName): string {
  const shards = shardsOf(name);
  const where = whereOf(name);
  const objects = shards === 1 ? "one Durable Object" : `${shards} Durable Objects`;
  return where === null ? objects : `${objects} in the ${isJurisdiction(where) ? "jurisdiction" : "region"} ${where}`;
}
