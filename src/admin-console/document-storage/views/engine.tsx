import { type EngineName, shardsOf } from "#documents/moving/placement.ts";

/** What keeps the documents, on pages. */
export function Engine({ name }: { readonly name: EngineName }) {
  const shards = shardsOf(name);
  return shards === 1 ? <>one Durable Object</> : <>{shards} Durable Objects</>;
}
