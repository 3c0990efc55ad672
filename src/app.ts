import { openApiEndpoint } from "#api-description/endpoint.ts";
import { authorizationEndpoint, callbackEndpoint } from "#authorization-server/authorization/endpoint.ts";
import { browserBinding } from "#single-sign-on/browser-middleware.ts";
import { basicChallenge } from "#authorization-server/client-authentication/challenge-middleware.ts";
import { consentDecisionEndpoint, consentPageEndpoint } from "#authorization-server/consent/endpoint.tsx";
import { metadataEndpoint, oauthEnabled } from "#authorization-server/discovery/endpoint.ts";
import { ENDPOINTS } from "#authorization-server/discovery/metadata.ts";
import { introspectionEndpoint } from "#authorization-server/introspection/endpoint.ts";
import {
  deleteRegistrationEndpoint,
  readRegistrationEndpoint,
  registrationEndpoint,
  updateRegistrationEndpoint,
} from "#authorization-server/registration/endpoint.ts";
import { revocationEndpoint } from "#authorization-server/revocation/endpoint.ts";
import { jwksEndpoint } from "#authorization-server/signing-keys/endpoint.ts";
import { tokenEndpoint } from "#authorization-server/token/endpoint.ts";
import { accountEndpoint, endAccessEndpoint, endAllAccessEndpoint } from "#account/endpoint.tsx";
import { adminConsole } from "#admin-console/console-endpoint.ts";
import { logoEndpoint } from "#branding/endpoint.ts";
import { chatEndpoint } from "#client-api/chat/endpoint.ts";
import { getDocumentsEndpoint } from "#client-api/documents/endpoint.ts";
import { searchEndpoint } from "#client-api/search/endpoint.ts";
import {
  deleteSchemaEndpoint,
  deleteValuesEndpoint,
  getSchemaEndpoint,
  putSchemaEndpoint,
  putValuesEndpoint,
} from "#indexing-api/custom-metadata/endpoint.ts";
import { bulkIndexDocumentsEndpoint } from "#indexing-api/bulk/endpoint.ts";
import {
  deleteDocumentEndpoint,
  getDocumentCountEndpoint,
  indexDocumentEndpoint,
  indexDocumentsEndpoint,
} from "#indexing-api/documents/endpoint.ts";
import {
  deleteGroupEndpoint,
  deleteMembershipEndpoint,
  deleteUserEndpoint,
  indexGroupEndpoint,
  indexMembershipEndpoint,
  indexUserEndpoint,
} from "#indexing-api/people-and-groups/endpoint.ts";
import { checkDocumentAccessEndpoint, updatePermissionsEndpoint } from "#indexing-api/permissions/endpoint.ts";
import { INDEXING_BASES } from "#indexing-api/operations.ts";
import { instanceMiddleware } from "#instance/middleware.ts";
import { CONSOLE_SCRIPT_PATH, CONSOLE_STYLESHEET_PATH } from "#pages/console-assets.ts";
import {
  consoleScriptEndpoint,
  consoleStylesheetEndpoint,
  stylesheetEndpoint,
  welcomeEndpoint,
} from "#pages/endpoint.tsx";
import { asPage } from "#pages/page-middleware.ts";
import { STYLESHEET_PATH } from "#pages/views/layout.tsx";
import { openToBrowserApps } from "#platform/cors-middleware.ts";
import { requestFrame } from "#platform/frame-middleware.ts";
import { type AppEnv, answersAs } from "#platform/http.ts";
import { clientApiGate, indexingGate } from "#resource-server/authentication/gate-middleware.ts";
import { resourceMetadataEndpoint } from "#resource-server/discovery/endpoint.ts";
import { RESOURCE_METADATA_PATHS } from "#resource-server/discovery/resource-metadata.ts";
import { rotateTokenEndpoint } from "#indexing-api/rotation/endpoint.ts";
import { sessionCallbackEndpoint, signInEndpoint, signOutEndpoint } from "#session/endpoint.tsx";
import { ownForm, SIGN_IN_PATH, signedIn } from "#session/session-middleware.ts";
import { Hono } from "hono";
import { answerNoRoute, answerRefusal } from "./refusal-answer.tsx";
import { servicesOf } from "./services.ts";

const API_DESCRIPTION_PATH = "/openapi.json";

const MANAGED_REGISTRATION = `${ENDPOINTS.registration}/:clientId`;

/** What clients of the authorization server call. */
const CLIENT_ENDPOINTS = [
  ENDPOINTS.metadata,
  ENDPOINTS.registration,
  MANAGED_REGISTRATION,
  ENDPOINTS.token,
  ENDPOINTS.revocation,
  ENDPOINTS.introspection,
];

/** What a person's browser visits on its way to a grant. */
const BROWSER_ENDPOINTS = [ENDPOINTS.authorization, ENDPOINTS.callback, ENDPOINTS.consent];

/** The router: every path, what stands before it, and the room that answers. */
export const app = new Hono<AppEnv>();

app.onError(answerRefusal);
app.notFound((c) => answerNoRoute(c, methodsAt(c.req.path)));

// The frame. CORS and the form of answers come before all that can refuse, so that refusals have them too.
app.use(requestFrame(servicesOf));
for (const path of CLIENT_ENDPOINTS) app.use(path, openToBrowserApps, answersAs("oauth"));
for (const path of [ENDPOINTS.jwks, ...RESOURCE_METADATA_PATHS.keys(), API_DESCRIPTION_PATH]) {
  app.use(path, openToBrowserApps);
}
for (const base of ["/rest/api/v1", ...INDEXING_BASES]) app.use(`${base}/*`, openToBrowserApps);
for (const path of ["/", SIGN_IN_PATH, "/sign-out", "/account/*", ...BROWSER_ENDPOINTS]) app.use(path, asPage);
app.use(instanceMiddleware);

// Pages.
app.get("/", ...welcomeEndpoint);
app.get(STYLESHEET_PATH, ...stylesheetEndpoint);
app.get(CONSOLE_STYLESHEET_PATH, ...consoleStylesheetEndpoint);
app.get(CONSOLE_SCRIPT_PATH, ...consoleScriptEndpoint);
app.get("/assets/logo", ...logoEndpoint);

// Our own pages, for people who sign in to them.
app.get(SIGN_IN_PATH, browserBinding, ...signInEndpoint);
app.post("/sign-out", signedIn, ownForm, ...signOutEndpoint);
app.use("/account/*", signedIn, ownForm);
app.get("/account", ...accountEndpoint);
app.post("/account/end", ...endAccessEndpoint);
app.post("/account/end-all", ...endAllAccessEndpoint);
app.use("/admin/doctor", async (c, next) => {
  c.set("askSelf", async (request) => app.fetch(request, c.env, c.executionCtx));
  await next();
});
app.route("/admin", adminConsole);

// The authorization server.
for (const path of [...CLIENT_ENDPOINTS, ENDPOINTS.authorization, ENDPOINTS.consent]) app.use(path, oauthEnabled);
for (const path of BROWSER_ENDPOINTS) app.use(path, browserBinding);
app.get(ENDPOINTS.authorization, ...authorizationEndpoint);
// The SSO knows one address of ours, for apps and for our own pages: the state says which of the two comes back.
app.get(ENDPOINTS.callback, ...sessionCallbackEndpoint, ...callbackEndpoint);
app.get(ENDPOINTS.consent, ...consentPageEndpoint);
app.post(ENDPOINTS.consent, ...consentDecisionEndpoint);
app.get(ENDPOINTS.metadata, ...metadataEndpoint);
app.post(ENDPOINTS.registration, ...registrationEndpoint);
app.get(MANAGED_REGISTRATION, ...readRegistrationEndpoint);
app.put(MANAGED_REGISTRATION, ...updateRegistrationEndpoint);
app.delete(MANAGED_REGISTRATION, ...deleteRegistrationEndpoint);
app.post(ENDPOINTS.token, basicChallenge, ...tokenEndpoint);
app.post(ENDPOINTS.revocation, basicChallenge, ...revocationEndpoint);
app.post(ENDPOINTS.introspection, basicChallenge, ...introspectionEndpoint);
app.get(ENDPOINTS.jwks, ...jwksEndpoint);

// The resource server: metadata, then the two APIs, each behind its own gate.
for (const [path, resource] of RESOURCE_METADATA_PATHS) app.get(path, ...resourceMetadataEndpoint(resource));
app.get(API_DESCRIPTION_PATH, ...openApiEndpoint);
app.post("/rest/api/v1/search", clientApiGate("POST /rest/api/v1/search"), ...searchEndpoint);
app.post("/rest/api/v1/chat", clientApiGate("POST /rest/api/v1/chat"), ...chatEndpoint);
app.post("/rest/api/v1/getdocuments", clientApiGate("POST /rest/api/v1/getdocuments"), ...getDocumentsEndpoint);
for (const base of INDEXING_BASES) {
  app.use(`${base}/*`, indexingGate);
  app.post(`${base}/indexdocument`, ...indexDocumentEndpoint);
  app.post(`${base}/indexdocuments`, ...indexDocumentsEndpoint);
  app.post(`${base}/bulkindexdocuments`, ...bulkIndexDocumentsEndpoint);
  app.post(`${base}/deletedocument`, ...deleteDocumentEndpoint);
  app.post(`${base}/getdocumentcount`, ...getDocumentCountEndpoint);
  app.post(`${base}/updatepermissions`, ...updatePermissionsEndpoint);
  app.post(`${base}/checkdocumentaccess`, ...checkDocumentAccessEndpoint);
  app.post(`${base}/indexuser`, ...indexUserEndpoint);
  app.post(`${base}/deleteuser`, ...deleteUserEndpoint);
  app.post(`${base}/indexgroup`, ...indexGroupEndpoint);
  app.post(`${base}/deletegroup`, ...deleteGroupEndpoint);
  app.post(`${base}/indexmembership`, ...indexMembershipEndpoint);
  app.post(`${base}/deletemembership`, ...deleteMembershipEndpoint);
  app.put(`${base}/custom-metadata/schema/:groupName`, ...putSchemaEndpoint);
  app.get(`${base}/custom-metadata/schema/:groupName`, ...getSchemaEndpoint);
  app.delete(`${base}/custom-metadata/schema/:groupName`, ...deleteSchemaEndpoint);
  app.put(`${base}/document/:docId/custom-metadata/:groupName`, ...putValuesEndpoint);
  app.delete(`${base}/document/:docId/custom-metadata/:groupName`, ...deleteValuesEndpoint);
  app.post(`${base}/rotatetoken`, ...rotateTokenEndpoint);
}

function methodsAt(path: string): string[] {
  const given = path.split("/");
  const isAt = (pattern: string) => {
    const parts = pattern.split("/");
    return parts.length === given.length && parts.every((part, at) => part.startsWith(":") || part === given[at]);
  };
  const methods = app.routes.filter((route) => route.method !== "ALL" && isAt(route.path)).map((route) => route.method);
  return [...new Set(methods)];
}
