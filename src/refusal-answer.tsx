import { quotable } from "#protocol/challenge.ts";
import { KeyringError } from "#crypto/keyring.ts";
import { refusedCall } from "#mcp/refused-call.ts";
import { ENGLISH_LOCALE, type Locale, refusalText, textOf } from "#messages/locale.ts";
import { type Brand, brandOf } from "#instance/policy-snapshot.ts";
import { beginPage, localeFor } from "#pages/page-middleware.ts";
import { ErrorPage } from "#pages/views/error-page.tsx";
import { ConfigurationError } from "#platform/configuration.ts";
import { StorageUnavailable } from "#platform/d1.ts";
import { AHEAD_TEXT, STORAGE_AHEAD, STORAGE_BEHIND } from "#platform/schema-version.ts";
import { directoryActor } from "#directories/directory.ts";
import { callerNetwork } from "#platform/rate-limit.ts";
import { ENDPOINTS, isCallback } from "#protocol/endpoints.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";
import { noteStep, stepAt } from "#connection-attempts/step-middleware.ts";
import { isApiForm, waitUntil } from "#platform/http.ts";
import { SCIM_TYPE, toScimError } from "#scim/scim-error.ts";
import type { AnyContext } from "./app-env.ts";
import { describeError, log } from "#platform/log.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { signInPath } from "#session/session-middleware.tsx";
import {
  ApiError,
  type Connection,
  OAuthError,
  Refusal,
  type RefusalOptions,
  SecurityEventError,
} from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** How soon to retry after a failure of the storage. */
const RETRY_AFTER_SECONDS = 5;

const ENDPOINT_PATHS: ReadonlySet<string> = new Set(Object.values(ENDPOINTS));

/** Why people can't connect an app until an administrator has changed something. */
const FOR_ADMINISTRATORS: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  "client_disabled",
  "oauth_not_enabled",
  "people_too_many",
  "person_deactivated",
  "person_email_taken",
  "redirect_uri_not_approved",
  "registration_off",
  "sso_email_missing",
  "sso_email_unverified",
  "sso_not_configured",
  "sso_subject_missing",
]);

/** Paths that only programs call. A browser that opens one shows what programs get. */
const PROGRAM_PATHS = /^\/(?:api|internal|rest|\.well-known)\//;

/**
 * Converts every thrown error to a response: in the form of the route, with the request's id, and without the private reason, which
 * is only in the log. An error that is not a refusal is a defect, or means that a part of the deployment doesn't work.
 */
export function answerRefusal(error: Error, c: AnyContext): Response | Promise<Response> {
  const refusal = error instanceof Refusal ? error : unexpected(error, c);
  const { requestId, challenge: challengeFor } = c.var.frame;
  const { status, code, reason, about } = refusal;
  log({
    level: status >= 500 ? "error" : "info",
    event: "refused",
    requestId,
    instance: c.var.instance?.policy.name,
    method: c.req.method,
    path: c.req.path,
    status,
    code,
    reason,
    about,
    ...(status >= 500
      ? { detail: describeError(error) }
      : error.cause === undefined
        ? {}
        : { detail: describeError(error.cause) }),
  });
  c.env.METRICS?.writeDataPoint({
    indexes: [c.var.instance?.policy.name ?? ""],
    // A path without a route could contain anything.
    blobs: [reason === "no_route" ? c.req.method : operationOf(c), reason, code],
    doubles: [status],
  });
  recordRefusal(c, refusal);
  if (refusal.retryAfterSeconds !== undefined) c.header("Retry-After", String(refusal.retryAfterSeconds));
  c.header("Cache-Control", "no-store");
  const form = c.var.answerForm ?? "api";
  // A page would need the name and the assets that a service without its configuration may lack.
  if ((form === "api" || form === "mcp") && isOpenedByPerson(c) && !(error instanceof ConfigurationError)) {
    beginPage(c);
    return localeFor(c, null).then((locale) => answerPage(c, refusal, locale));
  }
  switch (form) {
    case "page":
      return answerPage(c, refusal);
    case "oauth":
      if (code === "invalid_registration_token") c.header("WWW-Authenticate", 'Bearer error="invalid_token"');
      return c.json({ error: code, error_description: quotable(refusal.description), request_id: requestId }, status);
    case "mcp": {
      const challenge = status === 401 || status === 403 ? challengeFor?.(refusal) : undefined;
      setHeader(c, "WWW-Authenticate", challenge);
      const answer = refusedCall(refusal, c.var.mcpCall, requestId, challenge);
      return c.json(answer.body, answer.status);
    }
    case "scim":
      if (status === 401 || status === 403) setHeader(c, "WWW-Authenticate", challengeFor?.(refusal));
      setHeader(c, "Content-Type", SCIM_TYPE);
      return c.body(JSON.stringify(toScimError(refusal)), status);
    case "secevent": {
      const err = refusal instanceof SecurityEventError || status >= 500 ? code : "invalid_request";
      c.header("Content-Language", "en");
      return c.json({ err, description: refusal.description }, status);
    }
    case "api":
    default:
      if (status === 401 || status === 403) setHeader(c, "WWW-Authenticate", challengeFor?.(refusal));
      return c.json({ error: code, message: refusal.description, field: refusal.field, requestId }, status);
  }
}

/**
 * Responds to a request without a route: with 405 if the path has other methods (RFC 9110 §15.5.6), else with 404.
 *
 * @param methods the methods that the path has
 */
export function answerNoRoute(c: AnyContext, methods: readonly string[]): Response | Promise<Response> {
  if (methods.length === 0) return answerRefusal(new ApiError("not_found", { reason: "no_route" }), c);
  c.header("Allow", methods.join(", "));
  const description =
    c.var.answerForm === "mcp"
      ? "This URL is for an assistant or editor: add it there as an MCP server. It only accepts POST"
      : `This address only accepts ${methods.join(", ")}`;
  return answerRefusal(new ApiError("method_not_allowed", { reason: "method_not_allowed", description }), c);
}

/** Checks whether a person opened the address in a browser: only a browser's navigation asks for HTML. */
function isOpenedByPerson({ req }: AnyContext): boolean {
  return req.method === "GET" && req.header("Accept")?.includes("text/html") === true && !PROGRAM_PATHS.test(req.path);
}

/** Records a refusal for the administrators' pages. A refusal before the instance is known belongs to no instance. */
function recordRefusal(c: AnyContext, refusal: Refusal): void {
  const { caller, frame, instance, services } = c.var;
  if (instance === undefined || services === undefined) return;
  const { instanceId } = instance.policy;
  const { requestId, challenge } = frame;
  const { status, reason, connection = caller } = refusal;
  if (!isHello(c, refusal)) services.usage.note(instanceId, "refusal", reason, waitUntil(c));
  if (status >= 500) services.usage.noteFailure(instanceId, { requestId, path: c.req.path, reason }, waitUntil(c));
  services.refusals.note(
    instanceId,
    { code: refusal.code, reason, connection },
    () => ({
      operation: operationOf(c),
      requestId,
      network: callerNetwork(c),
      actor: actorOf(c, connection),
      isAtGate: challenge !== undefined,
    }),
    waitUntil(c),
  );
  noteStep(
    { req: c.req, env: c.env, executionCtx: c.executionCtx, var: { ...c.var, instance, services } },
    connection,
    refusal,
  );
}

/**
 * Checks whether a refusal is how every MCP host begins: it calls without a token to learn where to sign in, and asks for a stream
 * that a server need not have (2025-11-25, Listening for Messages from the Server).
 */
function isHello({ req }: AnyContext, { reason }: Refusal): boolean {
  return (
    req.path === MCP_PATH &&
    (reason === "credential_missing" || (reason === "method_not_allowed" && req.method !== "POST"))
  );
}

/** Returns the method, and the part of the path that is ours. The rest could contain anything, even a token. */
function operationOf({ req }: AnyContext): string {
  const [, first = "", ...rest] = req.path.split("/");
  const path = isCallback(req.path) ? ENDPOINTS.callback : req.path;
  const place = ENDPOINT_PATHS.has(path)
    ? path
    : `/${[first, ...(first === "rest" ? rest.slice(0, 2) : [])].join("/")}`;
  return `${req.method} ${place.slice(0, 60)}`;
}

/**
 * Returns who sent a request, if that is known and not a person with a token: the signed-in person, a directory, a service-issued token,
 * or a grant's holder.
 */
function actorOf(c: AnyContext, connection: Connection | undefined): string | undefined {
  const { actor, directory, indexingTokenId, session } = c.var;
  if (session) return session.person.id;
  if (directory !== undefined) return directoryActor(directory);
  // Anybody who begins an authorization gets the id of its grant. At the token endpoint, a code or refresh token proves it.
  const grantId = c.req.path === ENDPOINTS.token ? connection?.grantId : undefined;
  return actor ?? indexingTokenId ?? grantId;
}

function answerPage(
  c: AnyContext,
  refusal: Refusal,
  locale = c.var.locale ?? ENGLISH_LOCALE,
): Response | Promise<Response> {
  const policy = c.var.instance?.policy;
  const brand = policy && brandOf(policy);
  const ways = brand === undefined ? [] : otherWays(refusal, brand, locale, c.req.path);
  return c.html(
    <ErrorPage
      brand={brand}
      locale={locale}
      status={refusal.status}
      refusal={refusalText(locale, refusal)}
      requestId={c.var.frame.requestId}
      advice={
        ways.length > 0 || stepAt(c.req.path) === undefined
          ? undefined
          : FOR_ADMINISTRATORS.has(refusal.reason)
            ? "refusal_administrator"
            : "refusal_step"
      }
      otherWays={ways}
      reason={c.env.LOCAL_DEVELOPMENT === "true" ? refusal.reason : undefined}
    />,
    refusal.status,
  );
}

/**
 * Returns other pages, the most useful one first: for somebody who found nothing, who may not open the console, or whose sign-in to our own
 * pages failed. Somebody who connects an app can only go back to the app.
 */
function otherWays(
  { status, reason }: Refusal,
  { organisation }: Brand,
  locale: Locale,
  path: string,
): [path: string, label: string][] {
  const { messages } = locale;
  const isLost = status === 404 || status === 405;
  const start: [string, string] = ["/", textOf(locale, "welcome_heading", { organisation })];
  if (reason === "setup_link_used") return [[signInPath("/admin"), messages.sign_in]];
  if (!isLost && reason !== "not_an_administrator") {
    return ENDPOINT_PATHS.has(path) || reason === "setup_link_invalid" ? [] : [start];
  }
  const own: [string, string][] = [
    ["/search", messages.search],
    ["/account", messages.welcome_apps],
  ];
  return isLost
    ? [...own, start, ["/admin", messages.account_admin]]
    : [...own, [signInPath("/admin"), messages.consent_switch]];
}

function unexpected(error: Error, c: AnyContext): Refusal {
  const form = c.var.answerForm;
  const RouteError = isApiForm(form) ? ApiError : OAuthError;
  const badRequest = (options: RefusalOptions) =>
    RouteError === ApiError ? new ApiError("bad_request", options) : new OAuthError("invalid_request", options);
  if (error instanceof AdministrationRefused) {
    return badRequest({ reason: "administration_refused", description: error.message, field: error.member });
  }
  // The platform cancels the work for a request when its sender disconnects.
  if (error.name === "AbortError" || c.req.raw.signal.aborted) {
    return badRequest({ reason: "sender_gone", description: "The request was interrupted" });
  }
  if (error instanceof StorageUnavailable) {
    return new RouteError("temporarily_unavailable", {
      ...schemaTrouble(describeError(error)),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  if (error instanceof ConfigurationError) {
    return new RouteError("temporarily_unavailable", { reason: "configuration_invalid", description: error.message });
  }
  if (error instanceof KeyringError) {
    return new RouteError("temporarily_unavailable", {
      reason: "master_key_unusable",
      description: "The service's master key is missing or has changed: the operator must set MASTER_KEYS",
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return new RouteError("server_error", { reason: "unexpected" });
}

/** Recognises a deployment whose schema is of another version, also by the statement that failed. */
function schemaTrouble(detail: string): { reason: RefusalReason; description?: string } {
  if (detail.includes(STORAGE_AHEAD)) return { reason: STORAGE_AHEAD, description: AHEAD_TEXT };
  if (detail.includes("no such table")) {
    return {
      reason: "storage_without_tables",
      description: "The database has no tables: the operator must run schema apply",
    };
  }
  if (detail.includes(STORAGE_BEHIND) || /no such column|has no column named/.test(detail)) {
    return {
      reason: STORAGE_BEHIND,
      description: "The database has an older version: the operator must run schema apply",
    };
  }
  return { reason: "storage_unavailable" };
}

function setHeader(c: AnyContext, name: string, value: string | undefined): void {
  if (value !== undefined) c.header(name, value);
}
