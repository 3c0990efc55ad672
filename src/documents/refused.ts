import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import type { Kind } from "./generations.ts";
import { mostOf } from "./counts.ts";

/** Why nothing of a pipeline's request was written, and what to do about it. */
export interface Refused {
  readonly refused: "conflict" | "not_found";
  /** A reason code for the log. */
  readonly reason: RefusalReason;
  readonly description: string;
  readonly retryAfterSeconds?: number;
}

/** A conflict, because a retry would reach the same limit. */
export function datasourceFull(kind: Kind): Refused {
  return {
    refused: "conflict",
    reason: "datasource_full",
    description: `A datasource has at most ${mostOf(kind)}, and an instance 1000 datasources: remove some first`,
  };
}

export function unknownGroup(datasource: string, name: string): Refused {
  return {
    refused: "not_found",
    reason: "group_unknown",
    description: `${datasource} has no group ${JSON.stringify(name)}: call indexgroup first`,
  };
}

/** The pipeline describes a group that it has just deleted, or adds a group or user that it has just deleted as a member. */
export function stillLeaving(noun: "group" | "user", name: string): Refused {
  return {
    refused: "conflict",
    reason: `${noun}_leaving` as const,
    description: `${noun === "group" ? "Group" : "User"} ${JSON.stringify(name)} was deleted and its memberships are being removed: try again shortly`,
    retryAfterSeconds: 5,
  };
}
