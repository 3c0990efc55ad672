import type { Operation } from "#platform/api-operation.ts";
import * as v from "valibot";
import { flag, integer, text } from "#admin-api/members.ts";

/** Descriptions of operations by route. The Worker doesn't need them to respond. */
export type DescribedOperations = Readonly<Record<string, Pick<Operation, "summary" | "description" | "answer">>>;

export const secret = v.pipe(text, v.description("Shown in this answer only"));

/** The response to an act that may have nothing to do: repeated, it succeeds again and changes nothing. */
export const outcome = v.object({ changed: v.pipe(flag, v.description("Whether it was not so already")) });

/** Describes an operation that returns a list. */
export function listed(item: v.GenericSchema, summary: string): DescribedOperations[string] {
  const total = v.pipe(integer, v.description("How many there are on all pages"));
  return {
    summary,
    answer: v.object({ items: v.array(item), total, nextCursor: v.nullable(text), previousCursor: v.nullable(text) }),
  };
}
