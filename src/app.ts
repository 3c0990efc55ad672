import { authorizationEndpoint, callbackEndpoint } from "#authorization-server/authorization/endpoint.ts";
import { browserBinding } from "#authorization-server/authorization/browser-middleware.ts";
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
import { searchEndpoint } from "#client-api/search/endpoint.ts";
import { indexDocumentEndpoint, indexDocumentsEndpoint } from "#indexing-api/documents/endpoint.ts";
import { instanceMiddleware } from "#instance/middleware.ts";
import { stylesheetEndpoint, welcomeEndpoint } from "#pages/endpoint.tsx";
import { asPage } from "#pages/page-middleware.ts";
import { STYLESHEET_PATH } from "#pages/views/layout.tsx";
import { requestFrame } from "#platform/frame-middleware.ts";
import { type AppEnv, answersAs, http } from "#platform/http.ts";
import { clientApiGate, indexingGate } from "#resource-server/authentication/gate-middleware.ts";
import { resourceMetadataEndpoint } from "#resource-server/discovery/endpoint.ts";
import { RESOURCE_METADATA_PATH } from "#resource-server/discovery/resource-metadata.ts";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { answerNoRoute, answerRefusal } from "./refusal-answer.tsx";
import { servicesOf } from "./services.ts";

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

const INDEXING_BASES = ["/api/index/v1", "/rest/api/index"];

/** What any web page may call: it carries its own token, never a cookie. Everything else is closed to other origins. */
const openToBrowserApps = cors({
  origin: "*",
  exposeHeaders: ["WWW-Authenticate", "X-Request-Id", "Retry-After"],
  maxAge: 600,
});

const withServices = http.createMiddleware(async (c, next) => {
  c.set("services", servicesOf(c.env));
  await next();
});

/** The router: every path, what stands before it, and the room that answers. */
export const app = new Hono<AppEnv>();

app.onError(answerRefusal);
app.notFound((c) => answerNoRoute(c, methodsAt(c.req.path)));

// The frame. CORS and the form of answers come before all that can refuse, so that refusals have them too.
app.use(requestFrame);
for (const path of CLIENT_ENDPOINTS) app.use(path, openToBrowserApps, answersAs("oauth"));
for (const path of [ENDPOINTS.jwks, RESOURCE_METADATA_PATH]) app.use(path, openToBrowserApps);
for (const base of ["/rest/api/v1", ...INDEXING_BASES]) app.use(`${base}/*`, openToBrowserApps);
for (const path of ["/", ...BROWSER_ENDPOINTS]) app.use(path, asPage);
app.use(withServices, instanceMiddleware);

// Pages.
app.get("/", ...welcomeEndpoint);
app.get(STYLESHEET_PATH, ...stylesheetEndpoint);

// The authorization server.
for (const path of [...CLIENT_ENDPOINTS, ...BROWSER_ENDPOINTS]) app.use(path, oauthEnabled);
for (const path of BROWSER_ENDPOINTS) app.use(path, browserBinding);
app.get(ENDPOINTS.authorization, ...authorizationEndpoint);
app.get(ENDPOINTS.callback, ...callbackEndpoint);
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
app.get(RESOURCE_METADATA_PATH, ...resourceMetadataEndpoint);
app.post("/rest/api/v1/search", clientApiGate("POST /rest/api/v1/search"), ...searchEndpoint);
for (const base of INDEXING_BASES) {
  app.use(`${base}/*`, indexingGate);
  app.post(`${base}/indexdocument`, ...indexDocumentEndpoint);
  app.post(`${base}/indexdocuments`, ...indexDocumentsEndpoint);
}

function methodsAt(path: string): string[] {
  const methods = app.routes
    .filter((route) => route.path === path && route.method !== "ALL")
    .map((route) => route.method);
  return [...new Set(methods)];
}
