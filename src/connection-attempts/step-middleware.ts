import { createMiddleware } from "#platform/handlers.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { type RequestContext, waitUntil } from "#platform/http.ts";
import { callerNetwork, isWithinRate } from "#platform/rate-limit.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { Connection, Refusal } from "#protocol/errors.ts";
import { MCP_PATH, RESOURCE_METADATA_PATH } from "#protocol/resource-indicator.ts";
import type { ConnectionAttempts } from "./connection-attempts.ts";
import type { ConnectionStep, Step } from "./connection-step.ts";

/** Where each step of a connection is taken; the metadata have more addresses than these. */
const STEP_AT: Readonly<Record<string, Step>> = {
  [ENDPOINTS.metadata]: "metadata",
  [ENDPOINTS.openidConfiguration]: "metadata",
  [ENDPOINTS.registration]: "registration",
  [ENDPOINTS.authorization]: "authorization",
  [ENDPOINTS.pushedRequest]: "authorization",
  [ENDPOINTS.callback]: "sign-in",
  [ENDPOINTS.consent]: "consent",
  [ENDPOINTS.token]: "token",
  [MCP_PATH]: "call",
  [ENDPOINTS.backChannelLogout]: "signal",
  [ENDPOINTS.tokenRevocation]: "signal",
  [ENDPOINTS.securityEvents]: "signal",
};

/** The step of a connection that an address is, if it is one. */
export function stepAt(path: string): Step | undefined {
  return STEP_AT[path] ?? (path.startsWith(RESOURCE_METADATA_PATH) ? "metadata" : undefined);
}

/** Requests of our own. */
const ours = new WeakSet<Request>();

/** Keeps a request of our own, such as a probe of the doctor, out of the attempts of apps. */
export function leaveOut(request: Request): Request {
  ours.add(request);
  return request;
}

/** A request of a known instance. */
type StepContext = RequestContext & {
  readonly var: {
    readonly instance: { readonly policy: { readonly instanceId: number } };
    readonly services: { readonly connectionAttempts: ConnectionAttempts };
  };
};

/**
 * Notes, behind the answer, that a request passed or failed as a step of a connection.
 *
 * @param refusal why it failed; absent where it passed. What a tool refuses is between it and the model, and no step
 */
export function noteStep(c: StepContext, connection: Connection | undefined, refusal?: Refusal): void {
  const at = refusal?.reason === "mcp_address_wrong" ? "challenge" : stepAt(c.req.path);
  if (at === undefined || ours.has(c.req.raw) || (at === "call" && refusal && isTalk(refusal))) return;
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
 * Whether somebody who signed in took a step. A grant's id doesn't prove it: anybody who begins an authorization gets one, and may
 * come back from single sign-on with an error, without an account.
 */
function isOfPerson({ step, reason, grantId }: Pick<ConnectionStep, "step" | "reason" | "grantId">): boolean {
  return grantId !== null && (step === "consent" || (step === "sign-in" && reason === null));
}

/** Hosts try methods that a server may have, and models arguments that fit: that is no connection's failure. */
function isTalk({ code, status }: Refusal): boolean {
  return (status === 400 && code === "bad_request") || code === "method_not_found" || code === "invalid_params";
}

/** Notes that the handler answered; a refusal is noted where it becomes an answer. */
export const notesStep = createMiddleware<InstanceEnv<{ readonly connectionAttempts: ConnectionAttempts }>>(
  async (c, next) => {
    await next();
    if (c.res.ok && c.req.method === "GET") noteStep(c, undefined);
  },
);
