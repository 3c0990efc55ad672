import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** The steps of a connection, in the order in which hosts take them. */
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

/** One request that succeeded or failed as a step of a connection. */
export interface ConnectionStep {
  readonly at: number;
  readonly requestId: string;
  readonly step: Step;
  /** The refusal's private reason; `null` if the step succeeded. */
  readonly reason: RefusalReason | null;
  /** The text that the caller got; `null` if the step succeeded. */
  readonly message: string | null;
  /** The app's client id, proven or only claimed; `null` if the request had none. */
  readonly clientId: string | null;
  /** The grant that the step leads to or uses. */
  readonly grantId: string | null;
  /** The caller's network; `null` if the platform doesn't provide it. */
  readonly network: string | null;
}
