import { openApiEndpoint } from "#api-description/endpoint.ts";
import * as authorization from "#authorization-server/authorization/endpoint.tsx";
import { browserBinding } from "#single-sign-on/browser-middleware.ts";
import { basicChallenge } from "#authorization-server/client-authentication/challenge-middleware.ts";
import { consentDecisionEndpoint, consentPageEndpoint } from "#authorization-server/consent/endpoint.tsx";
import { metadataEndpoint, oauthEnabled } from "#authorization-server/discovery/endpoint.ts";
import { notesStep } from "#connection-attempts/step-middleware.ts";
import { API_DESCRIPTION_PATH, ENDPOINTS } from "#protocol/endpoints.ts";
import { openidConfigurationEndpoint, userInfoEndpoint } from "#authorization-server/openid/endpoint.ts";
import { pushedRequestEndpoint } from "#authorization-server/pushed-requests/endpoint.ts";
import { introspectionEndpoint } from "#authorization-server/introspection/endpoint.ts";
import * as registration from "#authorization-server/registration/endpoint.ts";
import { revocationEndpoint } from "#authorization-server/revocation/endpoint.ts";
import { jwksEndpoint } from "#authorization-server/signing-keys/endpoint.ts";
import { tokenEndpoint } from "#authorization-server/token/endpoint.ts";
import { accountEndpoint, endAccessEndpoint, endAllAccessEndpoint, endSessionsEndpoint } from "#account/endpoint.tsx";
import { adminApi } from "#admin-api/endpoint.ts";
import { ADMIN_API_BASE } from "#admin-api/base.ts";
import { SETUP_PATH } from "#admin-api/command-token.ts";
import { commandGate } from "#admin-api/command-gate-middleware.ts";
import * as backup from "#admin-api/documents/endpoint.ts";
import { connectFirst, setupPage } from "#admin-console/setup/endpoint.tsx";
import { adminConsole } from "#admin-console/console-endpoint.ts";
import { logoEndpoint } from "#branding/endpoint.ts";
import { chatEndpoint } from "#client-api/chat/endpoint.ts";
import { getDocumentsEndpoint } from "#client-api/documents/endpoint.ts";
import { searchEndpoint } from "#client-api/search/endpoint.ts";
import * as metadata from "#indexing-api/custom-metadata/endpoint.ts";
import { uploadCalls } from "#indexing-api/bulk/endpoint.ts";
import { documentCalls } from "#indexing-api/documents/endpoint.ts";
import { userAndGroupCalls } from "#indexing-api/users-and-groups/endpoint.ts";
import { permissionCalls } from "#indexing-api/permissions/endpoint.ts";
import { INDEXING_BASES } from "#indexing-api/bases.ts";
import { instanceMiddleware } from "#instance/middleware.ts";
import { mcpEndpoint, permittedOrigin, wrongMcpAddress } from "#mcp/endpoint.ts";
import { welcomeEndpoint } from "#pages/endpoint.tsx";
import { asConsolePage, asPage, asScriptedPage } from "#pages/page-middleware.ts";
import { openToBrowserApps } from "#platform/cors-middleware.ts";
import { requestFrame } from "#platform/frame-middleware.ts";
import { joinedBy } from "#platform/chain-middleware.ts";
import { answersAs, noStore } from "#platform/http.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { routes } from "#platform/routes.ts";
import {
  clientApiGate,
  indexingGate,
  mcpGate,
  readsCallerAhead,
} from "#resource-server/authentication/gate-middleware.ts";
import { resourceMetadataEndpoint } from "#resource-server/discovery/endpoint.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";
import { RESOURCE_METADATA_PATHS } from "#resource-server/discovery/resource-metadata.ts";
import { scimApi } from "#scim/endpoint.ts";
import { SCIM_BASE } from "#scim/resources.ts";
import { rotateTokenEndpoint } from "#indexing-api/rotation/endpoint.ts";
import { documentPageEndpoint } from "#search-page/document-endpoint.tsx";
import { searchPageEndpoint, suggestionsEndpoint } from "#search-page/endpoint.tsx";
import { backChannelLogoutEndpoint, globalTokenRevocationEndpoint, securityEventsEndpoint } from "#signals/endpoint.ts";
import { sessionCallbackEndpoint, signInEndpoint, signInPageEndpoint, signOutEndpoint } from "#session/endpoint.tsx";
import { afterStepUp, ownForm, readsSessionAhead, SIGN_IN_PATH, signedIn } from "#session/session-middleware.tsx";
import { HonoBase } from "hono/hono-base";
import { trimTrailingSlash } from "hono/trailing-slash";
import type { H, RouterRoute } from "hono/types";
import type {
  BrowserRoutes,
  ClientApiRoutes,
  IndexingRoutes,
  McpRoutes,
  OpenRoutes,
  OwnForms,
  OwnPages,
} from "./app-env.ts";
import { answerNoRoute, answerRefusal } from "./refusal-answer.tsx";
import { servicesOfWorker } from "./services.ts";

const MANAGED_REGISTRATION = `${ENDPOINTS.registration}/:clientId`;

/** Endpoints that clients of the authorization server call. */
const CLIENT_ENDPOINTS = [
  ENDPOINTS.metadata,
  ENDPOINTS.registration,
  MANAGED_REGISTRATION,
  ENDPOINTS.pushedRequest,
  ENDPOINTS.token,
  ENDPOINTS.revocation,
  ENDPOINTS.introspection,
];

/**
 * Paths where people expect the MCP server. They are open to web pages, so that hosts there can read the correct address.
 */
const MISTAKEN_MCP_PATHS = [`${MCP_PATH}/`, "/sse", `${MCP_PATH}/sse`];

/** Endpoints where apps learn who the person is. */
const OPENID_ENDPOINTS = [ENDPOINTS.openidConfiguration, ENDPOINTS.userInfo];

/** Where people come back to from an SSO that was connected after the first. */
const NUMBERED_CALLBACK = `${ENDPOINTS.callback}/:number`;

/** Endpoints that a person's browser visits on its way to a grant. */
const BROWSER_ENDPOINTS = [
  ENDPOINTS.authorization,
  ENDPOINTS.signIn,
  ENDPOINTS.callback,
  NUMBERED_CALLBACK,
  ENDPOINTS.consent,
];

/**
 * The router. It adds the routes of a section at the first request for it: a Worker that starts may need none of them.
 */
export const router = new LiteralFirstRouter<[H, RouterRoute]>(joinedBy(answerRefusal));

/** Every path, with its middleware and the room that handles it. */
export const app = new HonoBase<OpenRoutes>({ router });

const open = routes<OpenRoutes>(app);
const browser = routes<BrowserRoutes>(app);
const own = routes<OwnPages, OwnForms>(app);
const clientApi = routes<ClientApiRoutes>(app);
const mcp = routes<McpRoutes>(app);
const indexing = routes<IndexingRoutes>(app);

app.onError(answerRefusal);
app.notFound((c) => answerNoRoute(c, methodsAt(c.req.path)));

// CORS and the error format come before anything that can refuse a request, so that refusals have them too.
app.use(requestFrame(servicesOfWorker));
for (const path of CLIENT_ENDPOINTS) app.use(path, openToBrowserApps, answersAs("oauth"));
for (const path of [ENDPOINTS.jwks, ...OPENID_ENDPOINTS, ...RESOURCE_METADATA_PATHS.keys(), API_DESCRIPTION_PATH]) {
  app.use(path, openToBrowserApps);
}
for (const base of ["/rest/api/v1", ...INDEXING_BASES]) app.use(`${base}/*`, openToBrowserApps);
app.use(MCP_PATH, openToBrowserApps, answersAs("mcp"));
for (const path of MISTAKEN_MCP_PATHS) app.use(path, openToBrowserApps);
app.use(`${SCIM_BASE}/*`, answersAs("scim"));
app.use(ENDPOINTS.backChannelLogout, answersAs("oauth"));
app.use(ENDPOINTS.securityEvents, answersAs("secevent"));
for (const path of [SIGN_IN_PATH, "/sign-out", "/account/*", "/documents/*", ...BROWSER_ENDPOINTS])
  app.use(path, asPage);
for (const path of ["/", "/search/*"]) app.use(path, asScriptedPage);
app.use(SETUP_PATH, asConsolePage);
for (const path of ["/rest/api/v1/*", MCP_PATH]) app.use(path, readsCallerAhead);
for (const path of ["/account/*", "/search/*", "/documents/*", "/admin/*", "/sign-out"])
  app.use(path, readsSessionAhead);
app.use(instanceMiddleware);
// People also type the addresses of pages with a trailing slash.
for (const page of ["/admin/*", "/account/*", "/search/*"]) app.use(page, trimTrailingSlash({ alwaysRedirect: true }));

// Routes that `npm run admin` calls.
app.use("/internal/*", commandGate);
open.post("/internal/documents/stats", ...backup.documentStatsEndpoint);
open.post("/internal/documents/export", ...backup.exportDocumentsEndpoint);
open.post("/internal/documents/import", ...backup.importDocumentsEndpoint);

// The Admin API, with its own gate.
router.section(ADMIN_API_BASE, () => app.route(ADMIN_API_BASE, adminApi()));

// SCIM, with its own gate.
app.route(SCIM_BASE, scimApi);

// Pages. Their styles and the console's script are static assets (public/).
open.get("/", ...welcomeEndpoint);
open.get("/assets/logo", ...logoEndpoint);

// Our own pages, for people who sign in to them.
app.use(SIGN_IN_PATH, browserBinding);
browser.get(SIGN_IN_PATH, ...signInPageEndpoint);
browser.post(SIGN_IN_PATH, ...signInEndpoint);
open.get(SETUP_PATH, ...setupPage);
open.post(SETUP_PATH, ...connectFirst);
own.post("/sign-out", signedIn, ownForm, ...signOutEndpoint);
app.use("/account/*", noStore, signedIn, ownForm);
own.get("/account", ...accountEndpoint);
own.post("/account/end", ...endAccessEndpoint);
own.post("/account/end-all", ...endAllAccessEndpoint);
own.post(
  "/account/end-sessions",
  afterStepUp(() => ({ act: { message: "account_end_sessions" } })),
  ...endSessionsEndpoint,
);
own.get("/search", noStore, signedIn, ...searchPageEndpoint);
own.get("/search/suggestions", noStore, signedIn, ...suggestionsEndpoint);
own.get("/documents/:datasource/:id", noStore, signedIn, ...documentPageEndpoint);
router.section("/admin", () => app.route("/admin", adminConsole));

// The authorization server.
for (const path of [
  ...CLIENT_ENDPOINTS,
  ...OPENID_ENDPOINTS,
  ENDPOINTS.authorization,
  ENDPOINTS.signIn,
  ENDPOINTS.consent,
]) {
  app.use(path, oauthEnabled);
}
for (const path of BROWSER_ENDPOINTS) app.use(path, browserBinding);
browser.get(ENDPOINTS.authorization, ...authorization.authorizationEndpoint);
browser.post(ENDPOINTS.signIn, ...authorization.chosenSsoEndpoint);
// Each SSO has one redirect URI of ours, for apps and for our own pages. The state says which of the two a response is for.
for (const path of [ENDPOINTS.callback, NUMBERED_CALLBACK])
  browser.get(path, ...sessionCallbackEndpoint, ...authorization.callbackEndpoint);
browser.get(ENDPOINTS.consent, ...consentPageEndpoint);
browser.post(ENDPOINTS.consent, ...consentDecisionEndpoint);
open.get(ENDPOINTS.metadata, notesStep, ...metadataEndpoint);
open.post(ENDPOINTS.registration, ...registration.registrationEndpoint);
open.get(MANAGED_REGISTRATION, ...registration.readRegistrationEndpoint);
open.put(MANAGED_REGISTRATION, ...registration.updateRegistrationEndpoint);
open.delete(MANAGED_REGISTRATION, ...registration.deleteRegistrationEndpoint);
open.post(ENDPOINTS.pushedRequest, basicChallenge, ...pushedRequestEndpoint);
open.post(ENDPOINTS.token, basicChallenge, ...tokenEndpoint);
open.post(ENDPOINTS.revocation, basicChallenge, ...revocationEndpoint);
open.post(ENDPOINTS.introspection, basicChallenge, ...introspectionEndpoint);
open.get(ENDPOINTS.jwks, ...jwksEndpoint);
open.get(ENDPOINTS.openidConfiguration, notesStep, ...openidConfigurationEndpoint);
open.get(ENDPOINTS.userInfo, ...userInfoEndpoint);
open.post(ENDPOINTS.userInfo, ...userInfoEndpoint);

// Sign-outs that other systems report. They don't depend on whether the authorization server is on, because they end sessions too.
open.post(ENDPOINTS.backChannelLogout, ...backChannelLogoutEndpoint);
open.post(ENDPOINTS.tokenRevocation, ...globalTokenRevocationEndpoint);
open.post(ENDPOINTS.securityEvents, ...securityEventsEndpoint);

// The resource server: metadata, then the APIs and the MCP endpoint, each behind its own gate.
for (const [path, resource] of RESOURCE_METADATA_PATHS)
  open.get(path, notesStep, ...resourceMetadataEndpoint(resource));
open.get(API_DESCRIPTION_PATH, ...openApiEndpoint);
clientApi.post("/rest/api/v1/search", clientApiGate("POST /rest/api/v1/search"), ...searchEndpoint);
clientApi.post("/rest/api/v1/chat", clientApiGate("POST /rest/api/v1/chat"), ...chatEndpoint);
clientApi.post("/rest/api/v1/getdocuments", clientApiGate("POST /rest/api/v1/getdocuments"), ...getDocumentsEndpoint);
for (const path of ["/", ...MISTAKEN_MCP_PATHS]) open.post(path, answersAs("mcp"), ...wrongMcpAddress);
mcp.post(MCP_PATH, permittedOrigin, mcpGate, ...mcpEndpoint);
for (const base of INDEXING_BASES) router.section(base, () => mountIndexingApi(base));

function mountIndexingApi(base: string): void {
  app.use(`${base}/*`, indexingGate);
  const calls = { ...documentCalls, ...uploadCalls, ...permissionCalls, ...userAndGroupCalls };
  for (const [call, handlers] of Object.entries(calls)) indexing.post(`${base}/${call}`, ...handlers);
  indexing.put(`${base}/custom-metadata/schema/:groupName`, ...metadata.putSchemaEndpoint);
  indexing.get(`${base}/custom-metadata/schema/:groupName`, ...metadata.getSchemaEndpoint);
  indexing.delete(`${base}/custom-metadata/schema/:groupName`, ...metadata.deleteSchemaEndpoint);
  indexing.put(`${base}/custom-metadata/values/:groupName`, ...metadata.putBulkValuesEndpoint);
  indexing.put(`${base}/document/:docId/custom-metadata/:groupName`, ...metadata.putValuesEndpoint);
  indexing.delete(`${base}/document/:docId/custom-metadata/:groupName`, ...metadata.deleteValuesEndpoint);
  indexing.post(`${base}/rotatetoken`, ...rotateTokenEndpoint);
}

function methodsAt(path: string): string[] {
  const given = path.split("/");
  const isAt = (pattern: string) => {
    const parts = pattern.split("/");
    return (
      parts.length === given.length &&
      parts.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]))
    );
  };
  const methods = app.routes.filter((route) => route.method !== "ALL" && isAt(route.path)).map((route) => route.method);
  return [...new Set(methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method])))];
}
