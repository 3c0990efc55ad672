import { createMiddleware } from "#platform/handlers.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { type RequestContext, waitUntil } from "#platform/http.ts";
import { callerNetwork, isWithinRate } from "#platform/rate-limit.ts";
import { ENDPOINTS, isCallback } from "#protocol/endpoints.ts";
import type { Connection, Refusal } from "#protocol/errors.ts";
import { MCP_PATH, RESOURCE_METADATA_PATH } from "#protocol/resource-indicator.ts";
import type { ConnectionAttempts } from "./connection-attempts.ts";
import type { ConnectionStep, Step } from "./connection-step.ts";

/** The step of a connection by its path. Metadata has more paths than these ({@link stepAt}). */
const STEP_AT: Readonly<Record<string, Step>> = {
  [ENDPOINTS.metadata]: "metadata",
  [ENDPOINTS.openidConfiguration]: "metadata",
  [ENDPOINTS.registration]: "registration",
  [ENDPOINTS.authorization]: "authorization",
  [ENDPOINTS.pushedRequest]: "authorization",
  [ENDPOINTS.signIn]: "sign-in",
  [ENDPOINTS.consent]: "consent",
  [ENDPOINTS.token]: "token",
  [MCP_PATH]: "call",
  [ENDPOINTS.backChannelLogout]: "signal",
  [ENDPOINTS.tokenRevocation]: "signal",
  [ENDPOINTS.securityEvents]: "signal",
};

/** Returns the step of a connection that a path stands for, if any. */
export function stepAt(path: string): Step | undefined {
  if (isCallback(path)) return "sign-in";
  return STEP_AT[path] ?? (path.startsWith(RESOURCE_METADATA_PATH) ? "metadata" : undefined);
}

/** The context of a request whose instance is known. */
type StepContext = RequestContext & {
  readonly var: {
    readonly instance: { readonly policy: { readonly instanceId: number } };
    readonly services: { readonly connectionAttempts: ConnectionAttempts };
  };
};

/**
 * Records, after the response, that a request succeeded or failed as a step of a connection.
 *
 * @param refusal why it failed; absent if it succeeded. Errors in a call's method or arguments are not recorded ({@link isTalk})
 */
export function noteStep(c: StepContext, connection: Connection | undefined, refusal?: Refusal): void {
  const at = refusal?.reason === "mcp_address_wrong" ? "challenge" : stepAt(c.req.path);
  if (at === undefined || (at === "call" && refusal && isTalk(refusal))) return;
  const { frame, instance, services } = c.var;
  const isChallenge = refusal?.reason === "credential_missing";
  const step = {
    requestId: frame.requestId,
    step: isChallenge ? "challenge" : connection?.isRefresh ? "refresh" : at,
    reason: isChallenge ? null : (refusal?.reason ?? null),
    message: isChallenge ? null : (refusal?.description ?? null),
    clientId: connection?.clientId ?? null,
    grantId: connection?.grantId ?? null,
    network: callerNetwork(c) ?? null,
  } as const;
  services.connectionAttempts.note(instance.policy.instanceId, step, isOfPerson(step), waitUntil(c), () =>
    isWithinRate(c, instance.policy.instanceId, "connection-step"),
  );
}

/**
 * Checks whether a signed-in person took a step. A grant's id doesn't prove it: anybody who starts an authorization gets one, and
 * can come back from single sign-on with an error, without an account.
 */
function isOfPerson({ step, reason, grantId }: Pick<ConnectionStep, "step" | "reason" | "grantId">): boolean {
  return grantId !== null && (step === "consent" || (step === "sign-in" && reason === null));
}

/**
 * Checks whether a refusal is part of normal MCP traffic, not a failed connection: hosts try methods that a server may not have,
 * ask for a stream with GET, and models try arguments that may not be valid.
 */
function isTalk({ code, status }: Refusal): boolean {
  return (status === 400 && code === "bad_request") || TALK.has(code);
}

const TALK: ReadonlySet<string> = new Set(["method_not_found", "method_not_allowed", "invalid_params"]);

/** Records a successful GET as a step. Refusals are recorded when they become responses (`refusal-answer.tsx`). */
export const notesStep = createMiddleware<InstanceEnv<{ readonly connectionAttempts: ConnectionAttempts }>>(
  async (c, next) => {
    await next();
    if (c.res.ok && c.req.method === "GET") noteStep(c, undefined);
  },
);
