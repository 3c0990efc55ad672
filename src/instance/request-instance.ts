import type { PolicySnapshot } from "./policy-snapshot.ts";

/** The instance of a request, found by its host and the policy snapshot. */
export interface RequestInstance {
  /** The origin of the request: the issuer of tokens, the resource, and the base of every URL in responses. */
  readonly issuer: string;
  readonly policy: PolicySnapshot;
}
