import { ownForm, signedIn, takesUpload } from "#session/session-middleware.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { afterStepUp } from "#session/step-up-middleware.tsx";
import { asConsolePage } from "#pages/page-middleware.ts";
import { noStore } from "#platform/http.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { routes } from "#platform/routes.ts";
import { HonoBase } from "hono/hono-base";
import { accessPage } from "./access/endpoint.tsx";
import { auditPage, checkAudit, exportAudit } from "./audit/endpoint.tsx";
import {
  clientPage,
  createClient,
  deleteClient,
  disableClient,
  editClient,
  enableClient,
  newClientPage,
  rotateSecret,
} from "./clients/endpoint.tsx";
import { authorizeReceiver, deliverNow, receiverPage, saveReceiver } from "./audit/receiver-endpoint.tsx";
import { appsPage, decideAboutApps } from "./clients/apps-endpoint.tsx";
import { appPage, approveApp, deleteApp, disableApp, enableApp, requireOfApp } from "./clients/registered-endpoint.tsx";
import { changeRules, rulesPage } from "./clients/rules-endpoint.tsx";
import { connectionsPage } from "./connections/endpoint.tsx";
import { contentPage, datasourcePage, documentPage } from "./content/endpoint.tsx";
import { consoleFrame, withinRole } from "./console-middleware.ts";
import type { ConsoleEnv, ConsoleFormEnv, ConsoleServices, DoctorEnv } from "./http.ts";
import type { DecisionHandlers } from "./decision-endpoint.tsx";
import { directoriesPage } from "./directories/endpoint.tsx";
import { cancelMove, documentStoragePage, eraseOld, moveDocuments } from "./document-storage/endpoint.tsx";
import { doctorPage } from "./doctor/endpoint.tsx";
import { grantsPage, revokeGrant } from "./grants/endpoint.tsx";
import { disableIssuer, editIssuer, enableIssuer, issuerPage, issuersPage, removeIssuer } from "./issuers/endpoint.tsx";
import { addIssuer, newIssuerPage } from "./issuers/new-issuer-endpoint.tsx";
import { keysPage, rotateKey } from "./keys/endpoint.tsx";
import { disableOAuth, enableOAuth, oauthPage, saveLifetimes } from "./oauth/endpoint.tsx";
import {
  createGroup,
  deleteGroup,
  groupPage,
  groupsPage,
  newGroupPage,
  saveSchema,
  schemaPage,
} from "./metadata/endpoint.tsx";
import { overviewPage } from "./overview/endpoint.tsx";
import {
  changeRole,
  deactivatePerson,
  nameRole,
  peoplePage,
  personPage,
  reactivatePerson,
  releasePerson,
} from "./people/endpoint.tsx";
import { registrationPage, saveRegistration } from "./registration/endpoint.tsx";
import {
  endGrants,
  refuseExternalTokens,
  removeLogo,
  saveLogo,
  saveSettings,
  settingsPage,
  signEverybodyOut,
  takeExternalTokens,
} from "./settings/endpoint.tsx";
import { createToken, newTokenPage, revokeToken, rotateToken, tokensPage } from "./tokens/endpoint.tsx";
import { steppedUpFormAt } from "./console-forms.ts";
import { testToken, testTokenPage } from "./token-test/endpoint.tsx";
import {
  changeServiceAccount,
  createServiceAccount,
  deleteServiceAccount,
  disableServiceAccount,
  enableServiceAccount,
  newServiceAccountPage,
  serviceAccountPage,
  serviceAccountsPage,
} from "./service-accounts/endpoint.tsx";
import { submittedOnce } from "./once-middleware.tsx";
import { removeTransmitter, saveTransmitter, signalsPage, transmitterPage } from "./signals/endpoint.tsx";
import { saveSingleSignOn, singleSignOnPage, testSingleSignOn } from "./single-sign-on/endpoint.tsx";

/** Every path of the console, below `/admin`. */
export const adminConsole = new HonoBase<InstanceEnv<ConsoleServices>>({ router: new LiteralFirstRouter() });

const pages = routes<ConsoleEnv, ConsoleFormEnv>(adminConsole);

function decides(path: string, { ask, decide }: DecisionHandlers): void {
  pages.get(path, ...ask);
  pages.post(path, ...decide);
}

adminConsole.use("/settings/logo", takesUpload);
adminConsole.use(asConsolePage, noStore, signedIn, withinRole, ownForm, consoleFrame);
adminConsole.use(afterStepUp(steppedUpFormAt));
adminConsole.use(submittedOnce);

pages.get("/", ...overviewPage);
pages.get("/oauth", ...oauthPage);
pages.post("/oauth", ...saveLifetimes);
pages.post("/oauth/enable", ...enableOAuth);
decides("/oauth/disable", disableOAuth);

pages.get("/clients", ...appsPage);
pages.get("/clients/new", ...newClientPage);
pages.post("/clients/new", ...createClient);
pages.post("/clients/decide", ...decideAboutApps);
pages.get("/clients/app", ...appPage);
pages.get("/clients/rules", ...rulesPage);
pages.post("/clients/rules", ...changeRules);
pages.post("/clients/app", ...requireOfApp);
pages.post("/clients/approve", ...approveApp);
decides("/clients/disable", disableApp);
pages.post("/clients/enable", ...enableApp);
decides("/clients/delete", deleteApp);
pages.get("/clients/:clientId", ...clientPage);
pages.post("/clients/:clientId", ...editClient);
decides("/clients/:clientId/rotate-secret", rotateSecret);
decides("/clients/:clientId/disable", disableClient);
pages.post("/clients/:clientId/enable", ...enableClient);
decides("/clients/:clientId/delete", deleteClient);

pages.get("/registration", ...registrationPage);
pages.post("/registration", ...saveRegistration);

pages.get("/single-sign-on", ...singleSignOnPage);
pages.post("/single-sign-on", ...saveSingleSignOn);
pages.post("/single-sign-on/test", ...testSingleSignOn);

pages.get("/signals", ...signalsPage);
pages.get("/signals/transmitter", ...transmitterPage);
pages.post("/signals/transmitter", ...saveTransmitter);
decides("/signals/remove", removeTransmitter);
pages.get("/issuers", ...issuersPage);
pages.get("/issuers/new", ...newIssuerPage);
pages.post("/issuers/new", ...addIssuer);
pages.get("/issuers/issuer", ...issuerPage);
pages.post("/issuers/issuer", ...editIssuer);
decides("/issuers/disable", disableIssuer);
pages.post("/issuers/enable", ...enableIssuer);
decides("/issuers/remove", removeIssuer);

pages.get("/grants", ...grantsPage);
decides("/grants/:id/revoke", revokeGrant);

pages.get("/service-accounts", ...serviceAccountsPage);
pages.get("/service-accounts/new", ...newServiceAccountPage);
pages.post("/service-accounts/new", ...createServiceAccount);
pages.get("/service-accounts/:id", ...serviceAccountPage);
pages.post("/service-accounts/:id", ...changeServiceAccount);
decides("/service-accounts/:id/disable", disableServiceAccount);
pages.post("/service-accounts/:id/enable", ...enableServiceAccount);
decides("/service-accounts/:id/delete", deleteServiceAccount);

pages.get("/metadata", ...groupsPage);
pages.get("/metadata/new", ...newGroupPage);
pages.post("/metadata/new", ...createGroup);
pages.get("/metadata/groups/:group", ...groupPage);
pages.get("/metadata/groups/:group/schema", ...schemaPage);
pages.post("/metadata/groups/:group/schema", ...saveSchema);
decides("/metadata/groups/:group/delete", deleteGroup);

pages.get("/content", ...contentPage);
pages.get("/content/:datasource", ...datasourcePage);
pages.get("/content/:datasource/document", ...documentPage);

pages.get("/document-storage", ...documentStoragePage);
decides("/document-storage/move", moveDocuments);
pages.post("/document-storage/cancel", ...cancelMove);
decides("/document-storage/erase-old", eraseOld);

pages.get("/keys", ...keysPage);
decides("/keys/rotate", rotateKey);

pages.get("/people", ...peoplePage);
pages.post("/people", ...nameRole);
pages.get("/people/:id", ...personPage);
pages.get("/people/:id/access", ...accessPage);
decides("/people/:id/deactivate", deactivatePerson);
pages.post("/people/:id/reactivate", ...reactivatePerson);
decides("/people/:id/release", releasePerson);
pages.post("/people/:id/role", ...changeRole);

pages.get("/directories", ...directoriesPage);

pages.get("/audit", ...auditPage);
pages.get("/audit/export", ...exportAudit);
pages.get("/audit/check", ...checkAudit);
pages.get("/audit/receiver", ...receiverPage);
pages.post("/audit/receiver", ...saveReceiver);
pages.post("/audit/receiver/authorization", ...authorizeReceiver);
pages.post("/audit/receiver/deliver", ...deliverNow);

pages.get("/tokens", ...tokensPage);
pages.get("/tokens/new", ...newTokenPage);
pages.post("/tokens/new", ...createToken);
decides("/tokens/:id/rotate", rotateToken);
decides("/tokens/:id/revoke", revokeToken);

pages.get("/settings", ...settingsPage);
pages.post("/settings", ...saveSettings);
pages.post("/settings/logo", ...saveLogo);
pages.post("/settings/remove-logo", ...removeLogo);
decides("/settings/end-grants", endGrants);
decides("/settings/sign-everybody-out", signEverybodyOut);
decides("/settings/refuse-external-tokens", refuseExternalTokens);
pages.post("/settings/take-external-tokens", ...takeExternalTokens);

pages.get("/connections", ...connectionsPage);
pages.get("/token-test", ...testTokenPage);
pages.post("/token-test", ...testToken);
routes<DoctorEnv>(adminConsole).get("/doctor", ...doctorPage);
