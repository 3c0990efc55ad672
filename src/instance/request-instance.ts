import type { PolicySnapshot } from "./policy-snapshot.ts";

/** The instance that a request is for, as its host and the policy snapshot give it. */
export interface RequestInstance {
  /** The origin of the request: the issuer of tokens, the resource, the base of every URL we hand out. */
  readonly issuer: string;
  readonly policy: PolicySnapshot;
}
