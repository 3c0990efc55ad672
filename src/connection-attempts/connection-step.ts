import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** What a host goes through, in its order. */
export const STEPS = [
  "challenge",
  "metadata",
  "registration",
  "authorization",
  "sign-in",
  "consent",
  "token",
  "refresh",
  "call",
  "signal",
] as const;

export type Step = (typeof STEPS)[number];

/** Something that happened on the way to a connection. */
export interface ConnectionStep {
  readonly at: number;
  readonly requestId: string;
  readonly step: Step;
  /** The refusal's private reason; `null` where the step was passed. */
  readonly reason: RefusalReason | null;
  /** What the caller was told; `null` where the step was passed. */
  readonly message: string | null;
  /** The person or app, where proven or at least claimed. */
  readonly clientId: string | null;
  /** The grant that it leads to, or was made with. */
  readonly grantId: string | null;
  /** The network that it came from, where the platform says so. */
  readonly network: string | null;
}

export interface ConnectionSteps {
  /**
   * Keeps a step among the last ones of its instance and its network.
   *
   * @param isOfPerson whether somebody who signed in took it: strangers' steps take no place from these
   */
  add(instanceId: number, step: ConnectionStep, isOfPerson: boolean): Promise<void>;
  /** All that is kept, oldest first. */
  read(instanceId: number): Promise<ConnectionStep[]>;
  /** Deletes what happened before this moment, at most so much; how much. */
  sweep(before: number, rowsMax: number): Promise<number>;
}
