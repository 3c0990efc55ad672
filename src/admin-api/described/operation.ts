import type { Operation } from "#platform/api-operation.ts";
import * as v from "valibot";
import { flag, integer, text } from "#admin-api/members.ts";

/** What is said of an operation. The Worker needs none of it to answer. */
export type DescribedOperations = Readonly<Record<string, Pick<Operation, "summary" | "description" | "answer">>>;

export const secret = v.pipe(text, v.description("Shown in this answer only"));

/** What an act answers that may find nothing to do: asked for again, it answers the same way and changes nothing. */
export const outcome = v.object({ changed: v.pipe(flag, v.description("Whether it was not so already")) });

/** An operation that lists. */
export function listed(item: v.GenericSchema, summary: string): DescribedOperations[string] {
  const total = v.pipe(integer, v.description("How many there are on all pages"));
  return {
    summary,
    answer: v.object({ items: v.array(item), total, nextCursor: v.nullable(text), previousCursor: v.nullable(text) }),
  };
}
