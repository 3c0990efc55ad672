import type { Operation } from "../operation.ts";
import * as v from "valibot";
import { flag, integer, text } from "#admin-api/members.ts";

type Said = Pick<Operation, "summary" | "description" | "answer" | "request">;

/**
 * Descriptions of operations by route, or only the summary. The Worker doesn't need them to respond. Without an answer, the response is
 * {@link outcome}. One with a `request` takes any object, and the rules of its noun say what is wrong with which member: the request
 * says what these rules accept.
 */
export type DescribedOperations = Readonly<Record<string, string | (Omit<Said, "answer"> & Partial<Said>)>>;

/** Describes members of which any can be left out, and `null` restores the default. */
export function changes(entries: v.ObjectEntries): v.ObjectEntries {
  return Object.fromEntries(Object.entries(entries).map(([name, schema]) => [name, changeOf(schema)]));
}

/** Only a member that can be absent has a default to restore. */
function changeOf(schema: v.ObjectEntries[string]): v.ObjectEntries[string] {
  return "wrapped" in schema ? v.nullish(schema.wrapped) : v.optional(schema);
}

/** The response to an act that may have nothing to do: repeated, it succeeds again and changes nothing. */
export const outcome = v.object({ changed: v.pipe(flag, v.description("Whether it was not so already")) });

export function listed(item: v.GenericSchema, summary: string): Said {
  return {
    summary,
    answer: v.object({
      items: v.array(item),
      total: integer,
      nextCursor: v.nullable(text),
      previousCursor: v.nullable(text),
    }),
  };
}
