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
  askToDeleteClient,
  askToDisableClient,
  askToRotateSecret,
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
import {
  appPage,
  approveApp,
  askToDeleteApp,
  askToDisableApp,
  deleteApp,
  disableApp,
  enableApp,
  requireOfApp,
} from "./clients/registered-endpoint.tsx";
import { changeRules, rulesPage } from "./clients/rules-endpoint.tsx";
import { connectionsPage } from "./connections/endpoint.tsx";
import { contentPage, datasourcePage, documentPage } from "./content/endpoint.tsx";
import { consoleFrame, withinRole } from "./console-middleware.ts";
import type { ConsoleEnv, ConsoleFormEnv, ConsoleServices, DoctorEnv } from "./http.ts";
import { directoriesPage } from "./directories/endpoint.tsx";
import {
  askToEraseOld,
  askToMove,
  cancelMove,
  documentStoragePage,
  eraseOld,
  moveDocuments,
} from "./document-storage/endpoint.tsx";
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
import {
  askToDeactivate,
  askToRelease,
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
import { steppedUpFormAt } from "./console-forms.ts";
import { testToken, testTokenPage } from "./token-test/endpoint.tsx";
import {
  askToDeleteServiceAccount,
  askToDisableServiceAccount,
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
import {
  askToRemoveTransmitter,
  removeTransmitter,
  saveTransmitter,
  signalsPage,
  transmitterPage,
} from "./signals/endpoint.tsx";
import { saveSingleSignOn, singleSignOnPage, testSingleSignOn } from "./single-sign-on/endpoint.tsx";

/** Every path of the console, below `/admin`. */
export const adminConsole = new HonoBase<InstanceEnv<ConsoleServices>>({ router: new LiteralFirstRouter() });

const pages = routes<ConsoleEnv, ConsoleFormEnv>(adminConsole);

adminConsole.use("/settings/logo", takesUpload);
adminConsole.use(asConsolePage, noStore, signedIn, withinRole, ownForm, consoleFrame);
adminConsole.use(afterStepUp(steppedUpFormAt));
adminConsole.use(submittedOnce);

pages.get("/", ...overviewPage);
pages.get("/oauth", ...oauthPage);
pages.post("/oauth", ...saveLifetimes);
pages.post("/oauth/enable", ...enableOAuth);
pages.get("/oauth/disable", ...askToDisableOAuth);
pages.post("/oauth/disable", ...disableOAuth);

pages.get("/clients", ...appsPage);
pages.get("/clients/new", ...newClientPage);
pages.post("/clients/new", ...createClient);
pages.post("/clients/decide", ...decideAboutApps);
pages.get("/clients/app", ...appPage);
pages.get("/clients/rules", ...rulesPage);
pages.post("/clients/rules", ...changeRules);
pages.post("/clients/app", ...requireOfApp);
pages.post("/clients/approve", ...approveApp);
pages.get("/clients/disable", ...askToDisableApp);
pages.post("/clients/disable", ...disableApp);
pages.post("/clients/enable", ...enableApp);
pages.get("/clients/delete", ...askToDeleteApp);
pages.post("/clients/delete", ...deleteApp);
pages.get("/clients/:clientId", ...clientPage);
pages.post("/clients/:clientId", ...editClient);
pages.get("/clients/:clientId/rotate-secret", ...askToRotateSecret);
pages.post("/clients/:clientId/rotate-secret", ...rotateSecret);
pages.get("/clients/:clientId/disable", ...askToDisableClient);
pages.post("/clients/:clientId/disable", ...disableClient);
pages.post("/clients/:clientId/enable", ...enableClient);
pages.get("/clients/:clientId/delete", ...askToDeleteClient);
pages.post("/clients/:clientId/delete", ...deleteClient);

pages.get("/registration", ...registrationPage);
pages.post("/registration", ...saveRegistration);

pages.get("/single-sign-on", ...singleSignOnPage);
pages.post("/single-sign-on", ...saveSingleSignOn);
pages.post("/single-sign-on/test", ...testSingleSignOn);

pages.get("/signals", ...signalsPage);
pages.get("/signals/transmitter", ...transmitterPage);
pages.post("/signals/transmitter", ...saveTransmitter);
pages.get("/signals/remove", ...askToRemoveTransmitter);
pages.post("/signals/remove", ...removeTransmitter);
pages.get("/issuers", ...issuersPage);
pages.get("/issuers/new", ...newIssuerPage);
pages.post("/issuers/new", ...addIssuer);
pages.get("/issuers/issuer", ...issuerPage);
pages.post("/issuers/issuer", ...editIssuer);
pages.get("/issuers/disable", ...askToDisableIssuer);
pages.post("/issuers/disable", ...disableIssuer);
pages.post("/issuers/enable", ...enableIssuer);
pages.get("/issuers/remove", ...askToRemoveIssuer);
pages.post("/issuers/remove", ...removeIssuer);

pages.get("/grants", ...grantsPage);
pages.get("/grants/:id/revoke", ...askToRevokeGrant);
pages.post("/grants/:id/revoke", ...revokeGrant);

pages.get("/service-accounts", ...serviceAccountsPage);
pages.get("/service-accounts/new", ...newServiceAccountPage);
pages.post("/service-accounts/new", ...createServiceAccount);
pages.get("/service-accounts/:id", ...serviceAccountPage);
pages.post("/service-accounts/:id", ...changeServiceAccount);
pages.get("/service-accounts/:id/disable", ...askToDisableServiceAccount);
pages.post("/service-accounts/:id/disable", ...disableServiceAccount);
pages.post("/service-accounts/:id/enable", ...enableServiceAccount);
pages.get("/service-accounts/:id/delete", ...askToDeleteServiceAccount);
pages.post("/service-accounts/:id/delete", ...deleteServiceAccount);

pages.get("/metadata", ...groupsPage);
pages.get("/metadata/new", ...newGroupPage);
pages.post("/metadata/new", ...createGroup);
pages.get("/metadata/groups/:group", ...groupPage);
pages.get("/metadata/groups/:group/schema", ...schemaPage);
pages.post("/metadata/groups/:group/schema", ...saveSchema);
pages.get("/metadata/groups/:group/delete", ...askToDeleteGroup);
pages.post("/metadata/groups/:group/delete", ...deleteGroup);

pages.get("/content", ...contentPage);
pages.get("/content/:datasource", ...datasourcePage);
pages.get("/content/:datasource/document", ...documentPage);

pages.get("/document-storage", ...documentStoragePage);
pages.get("/document-storage/move", ...askToMove);
pages.post("/document-storage/move", ...moveDocuments);
pages.post("/document-storage/cancel", ...cancelMove);
pages.get("/document-storage/erase-old", ...askToEraseOld);
pages.post("/document-storage/erase-old", ...eraseOld);

pages.get("/keys", ...keysPage);
pages.get("/keys/rotate", ...askToRotateKey);
pages.post("/keys/rotate", ...rotateKey);

pages.get("/people", ...peoplePage);
pages.post("/people", ...nameRole);
pages.get("/people/:id", ...personPage);
pages.get("/people/:id/access", ...accessPage);
pages.get("/people/:id/deactivate", ...askToDeactivate);
pages.post("/people/:id/deactivate", ...deactivatePerson);
pages.post("/people/:id/reactivate", ...reactivatePerson);
pages.get("/people/:id/release", ...askToRelease);
pages.post("/people/:id/release", ...releasePerson);
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
pages.get("/tokens/:id/rotate", ...askToRotateToken);
pages.post("/tokens/:id/rotate", ...rotateToken);
pages.get("/tokens/:id/revoke", ...askToRevokeToken);
pages.post("/tokens/:id/revoke", ...revokeToken);

pages.get("/settings", ...settingsPage);
pages.post("/settings", ...saveSettings);
pages.post("/settings/logo", ...saveLogo);
pages.post("/settings/remove-logo", ...removeLogo);
pages.get("/settings/end-grants", ...askToEndGrants);
pages.post("/settings/end-grants", ...endGrants);
pages.get("/settings/sign-everybody-out", ...askToSignEverybodyOut);
pages.post("/settings/sign-everybody-out", ...signEverybodyOut);
pages.get("/settings/refuse-external-tokens", ...askToRefuseExternalTokens);
pages.post("/settings/refuse-external-tokens", ...refuseExternalTokens);
pages.post("/settings/take-external-tokens", ...takeExternalTokens);

pages.get("/connections", ...connectionsPage);
pages.get("/token-test", ...testTokenPage);
pages.post("/token-test", ...testToken);
routes<DoctorEnv>(adminConsole).get("/doctor", ...doctorPage);
