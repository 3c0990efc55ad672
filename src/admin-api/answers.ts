import type { ListSpec } from "#platform/listing.ts";
import * as v from "valibot";
import type { AdminOperation, AnyCall } from "./operation.ts";

export const integer = v.pipe(v.number(), v.integer());
/** Seconds since 1970. */
export const seconds = v.pipe(integer, v.description("Seconds since 1970"));
export const text = v.string();
export const texts = v.array(text);
export const flag = v.boolean();
export const secret = v.pipe(text, v.description("Shown in this answer only"));

/** What an act answers that may find nothing to do: asked for again, it answers the same way and changes nothing. */
export const outcome = v.object({ changed: v.pipe(flag, v.description("Whether it was not so already")) });

/** An operation that lists. */
export function lists(
  list: ListSpec,
  item: v.GenericSchema,
  summary: string,
  run: AdminOperation["run"],
): AdminOperation {
  const total = v.pipe(integer, v.description("How many there are on all pages"));
  return {
    summary,
    list,
    answer: v.object({ items: v.array(item), total, nextCursor: v.nullable(text), previousCursor: v.nullable(text) }),
    run,
  };
}

/** An operation that decides about what its path names, and answers whether that changed anything. */
export function deciding<Found>(
  find: (call: AnyCall) => Promise<Found>,
  {
    decide,
    ...operation
  }: Pick<AdminOperation, "summary" | "description" | "act" | "parameters" | "refusals"> & {
    readonly decide: (call: AnyCall, found: Found) => Promise<boolean>;
  },
): AdminOperation {
  const run = async (call: AnyCall) => changed(decide(call, await find(call)));
  return { ...operation, answer: outcome, refusals: [404, ...(operation.refusals ?? [])], run };
}

/** What an act says that tells whether it changed anything. */
export async function changed(act: Promise<boolean>): Promise<{ readonly changed: boolean }> {
  return { changed: await act };
}
