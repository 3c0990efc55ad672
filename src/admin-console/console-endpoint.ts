import { administratorsOnly, ownForm, signedIn, takesUpload } from "#session/session-middleware.ts";
import { asConsolePage } from "#pages/page-middleware.ts";
import { type AppEnv, noStore } from "#platform/http.ts";
import { Hono } from "hono";
import { auditPage, checkAudit, exportAudit } from "./audit/endpoint.tsx";
import {
  askToDeleteClient,
  askToDisableClient,
  askToRotateSecret,
  clientPage,
  clientsPage,
  createClient,
  deleteClient,
  disableClient,
  editClient,
  newClientPage,
  rotateSecret,
} from "./clients/endpoint.tsx";
import { consoleFrame } from "./console-middleware.ts";
import { doctorPage } from "./doctor/endpoint.tsx";
import { askToRevokeGrant, grantsPage, revokeGrant } from "./grants/endpoint.tsx";
import {
  askToDisableIssuer,
  askToRemoveIssuer,
  disableIssuer,
  editIssuer,
  enableIssuer,
  issuerPage,
  issuersPage,
  removeIssuer,
} from "./issuers/endpoint.tsx";
import { addIssuer, newIssuerPage } from "./issuers/new-issuer-endpoint.tsx";
import { testToken, testTokenPage } from "./issuers/test-endpoint.tsx";
import { askToRotateKey, keysPage, rotateKey } from "./keys/endpoint.tsx";
import { askToDisableOAuth, disableOAuth, enableOAuth, oauthPage, saveLifetimes } from "./oauth/endpoint.tsx";
import {
  askToDeleteGroup,
  createGroup,
  deleteGroup,
  groupPage,
  groupsPage,
  newGroupPage,
  saveSchema,
  schemaPage,
} from "./metadata/endpoint.tsx";
import { overviewPage } from "./overview/endpoint.tsx";
import { decideAboutPerson, nameAdministrator, peoplePage, personPage } from "./people/endpoint.tsx";
import {
  appPage,
  approveApp,
  appsPage,
  askToBlockApp,
  askToDeleteApp,
  blockApp,
  deleteApp,
} from "./registration/apps-endpoint.tsx";
import { registrationPage, saveRegistration } from "./registration/endpoint.tsx";
import {
  askToEndGrants,
  askToRefuseExternalTokens,
  askToSignEverybodyOut,
  endGrants,
  refuseExternalTokens,
  removeLogo,
  saveLogo,
  saveSettings,
  settingsPage,
  signEverybodyOut,
  takeExternalTokens,
} from "./settings/endpoint.tsx";
import {
  askToRevokeToken,
  askToRotateToken,
  createToken,
  newTokenPage,
  revokeToken,
  rotateToken,
  tokensPage,
} from "./tokens/endpoint.tsx";
import { saveSingleSignOn, singleSignOnPage, testSingleSignOn } from "./single-sign-on/endpoint.tsx";

/** Every path of the console, below `/admin`. */
export const adminConsole = new Hono<AppEnv>();

adminConsole.use("/settings/logo", takesUpload);
adminConsole.use(asConsolePage, noStore, signedIn, administratorsOnly, ownForm, consoleFrame);

adminConsole.get("/", ...overviewPage);
adminConsole.get("/oauth", ...oauthPage);
adminConsole.post("/oauth", ...saveLifetimes);
adminConsole.post("/oauth/enable", ...enableOAuth);
adminConsole.get("/oauth/disable", ...askToDisableOAuth);
adminConsole.post("/oauth/disable", ...disableOAuth);

adminConsole.get("/clients", ...clientsPage);
adminConsole.get("/clients/new", ...newClientPage);
adminConsole.post("/clients/new", ...createClient);
adminConsole.get("/clients/:clientId", ...clientPage);
adminConsole.post("/clients/:clientId", ...editClient);
adminConsole.get("/clients/:clientId/rotate-secret", ...askToRotateSecret);
adminConsole.post("/clients/:clientId/rotate-secret", ...rotateSecret);
adminConsole.get("/clients/:clientId/disable", ...askToDisableClient);
adminConsole.post("/clients/:clientId/disable", ...disableClient);
adminConsole.get("/clients/:clientId/delete", ...askToDeleteClient);
adminConsole.post("/clients/:clientId/delete", ...deleteClient);

adminConsole.get("/registration", ...registrationPage);
adminConsole.post("/registration", ...saveRegistration);
adminConsole.get("/registration/apps", ...appsPage);
adminConsole.get("/registration/app", ...appPage);
adminConsole.post("/registration/approve", ...approveApp);
adminConsole.get("/registration/block", ...askToBlockApp);
adminConsole.post("/registration/block", ...blockApp);
adminConsole.get("/registration/delete", ...askToDeleteApp);
adminConsole.post("/registration/delete", ...deleteApp);

adminConsole.get("/single-sign-on", ...singleSignOnPage);
adminConsole.post("/single-sign-on", ...saveSingleSignOn);
adminConsole.post("/single-sign-on/test", ...testSingleSignOn);

adminConsole.get("/issuers", ...issuersPage);
adminConsole.get("/issuers/new", ...newIssuerPage);
adminConsole.post("/issuers/new", ...addIssuer);
adminConsole.get("/issuers/issuer", ...issuerPage);
adminConsole.post("/issuers/issuer", ...editIssuer);
adminConsole.get("/issuers/disable", ...askToDisableIssuer);
adminConsole.post("/issuers/disable", ...disableIssuer);
adminConsole.post("/issuers/enable", ...enableIssuer);
adminConsole.get("/issuers/remove", ...askToRemoveIssuer);
adminConsole.post("/issuers/remove", ...removeIssuer);
adminConsole.get("/issuers/test", ...testTokenPage);
adminConsole.post("/issuers/test", ...testToken);

adminConsole.get("/grants", ...grantsPage);
adminConsole.get("/grants/:id/revoke", ...askToRevokeGrant);
adminConsole.post("/grants/:id/revoke", ...revokeGrant);

adminConsole.get("/metadata", ...groupsPage);
adminConsole.get("/metadata/new", ...newGroupPage);
adminConsole.post("/metadata/new", ...createGroup);
adminConsole.get("/metadata/groups/:group", ...groupPage);
adminConsole.get("/metadata/groups/:group/schema", ...schemaPage);
adminConsole.post("/metadata/groups/:group/schema", ...saveSchema);
adminConsole.get("/metadata/groups/:group/delete", ...askToDeleteGroup);
adminConsole.post("/metadata/groups/:group/delete", ...deleteGroup);

adminConsole.get("/keys", ...keysPage);
adminConsole.get("/keys/rotate", ...askToRotateKey);
adminConsole.post("/keys/rotate", ...rotateKey);

adminConsole.get("/people", ...peoplePage);
adminConsole.post("/people", ...nameAdministrator);
adminConsole.get("/people/:id", ...personPage);
adminConsole.post("/people/:id", ...decideAboutPerson);

adminConsole.get("/audit", ...auditPage);
adminConsole.get("/audit/export", ...exportAudit);
adminConsole.get("/audit/check", ...checkAudit);

adminConsole.get("/tokens", ...tokensPage);
adminConsole.get("/tokens/new", ...newTokenPage);
adminConsole.post("/tokens/new", ...createToken);
adminConsole.get("/tokens/:id/rotate", ...askToRotateToken);
adminConsole.post("/tokens/:id/rotate", ...rotateToken);
adminConsole.get("/tokens/:id/revoke", ...askToRevokeToken);
adminConsole.post("/tokens/:id/revoke", ...revokeToken);

adminConsole.get("/settings", ...settingsPage);
adminConsole.post("/settings", ...saveSettings);
adminConsole.post("/settings/logo", ...saveLogo);
adminConsole.post("/settings/remove-logo", ...removeLogo);
adminConsole.get("/settings/end-grants", ...askToEndGrants);
adminConsole.post("/settings/end-grants", ...endGrants);
adminConsole.get("/settings/sign-everybody-out", ...askToSignEverybodyOut);
adminConsole.post("/settings/sign-everybody-out", ...signEverybodyOut);
adminConsole.get("/settings/refuse-external-tokens", ...askToRefuseExternalTokens);
adminConsole.post("/settings/refuse-external-tokens", ...refuseExternalTokens);
adminConsole.post("/settings/take-external-tokens", ...takeExternalTokens);

adminConsole.get("/doctor", ...doctorPage);
