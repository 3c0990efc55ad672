import type { Scope } from "#protocol/scopes.ts";

/** Who calls the Client API: always a person, through some credential. */
export interface Caller {
  readonly personId: string;
  readonly scopes: ReadonlySet<Scope>;
}
