import { ownForm, signedIn, takesUpload } from "#session/session-middleware.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { afterStepUp } from "#session/step-up-middleware.tsx";
import { asConsolePage } from "#pages/page-middleware.ts";
import { noStore } from "#platform/http.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { routes } from "#platform/routes.ts";
import { HonoBase } from "hono/hono-base";
import { accessPage } from "./access/endpoint.tsx";
import * as audit from "./audit/endpoint.tsx";
import * as receiver from "./audit/receiver-endpoint.tsx";
import { connectionsPage } from "./connections/endpoint.tsx";
import { consoleFrame, withinRole } from "./console-middleware.ts";
import type { ConsoleEnv, ConsoleFormEnv, ConsoleServices, DoctorEnv } from "./http.ts";
import type { DecisionHandlers } from "./decision-endpoint.tsx";
import { directoriesPage } from "./directories/endpoint.tsx";
import { doctorPage } from "./doctor/endpoint.tsx";
import * as issuers from "./issuers/endpoint.tsx";
import * as newIssuer from "./issuers/new-issuer-endpoint.tsx";
import { overviewPage } from "./overview/endpoint.tsx";
import * as settings from "./settings/endpoint.tsx";
import { CONSOLE_PATHS, steppedUpFormAt } from "./console-paths-endpoint.ts";
import * as tokenTest from "./token-test/endpoint.tsx";
import { submittedOnce } from "./once-middleware.tsx";
import * as singleSignOn from "./single-sign-on/endpoint.tsx";

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

for (const [path, { page, form }] of Object.entries(CONSOLE_PATHS)) {
  if (page) pages.get(path, page);
  if (form) pages.post(path, form.send);
}

pages.get("/", ...overviewPage);

pages.get("/single-sign-on", ...singleSignOn.singleSignOnPage);
pages.post("/single-sign-on", ...singleSignOn.saveSingleSignOn);
pages.get("/single-sign-on/add", ...singleSignOn.newSingleSignOnPage);
pages.post("/single-sign-on/add", ...singleSignOn.addSingleSignOn);
pages.post("/single-sign-on/test", ...singleSignOn.testSingleSignOn);
decides("/single-sign-on/remove", singleSignOn.removeSingleSignOn);

pages.get("/issuers", ...issuers.issuersPage);
pages.get("/issuers/new", ...newIssuer.newIssuerPage);
pages.post("/issuers/new", ...newIssuer.addIssuer);
pages.get("/issuers/issuer", ...issuers.issuerPage);
pages.post("/issuers/issuer", ...issuers.editIssuer);
decides("/issuers/disable", issuers.disableIssuer);
pages.post("/issuers/enable", ...issuers.enableIssuer);
decides("/issuers/remove", issuers.removeIssuer);

pages.get("/people/:id/access", ...accessPage);

pages.get("/directories", ...directoriesPage);

pages.get("/audit", ...audit.auditPage);
pages.get("/audit/export", ...audit.exportAudit);
pages.get("/audit/check", ...audit.checkAudit);
pages.get("/audit/receiver", ...receiver.receiverPage);
pages.post("/audit/receiver", ...receiver.saveReceiver);
pages.post("/audit/receiver/authorization", ...receiver.authorizeReceiver);
pages.post("/audit/receiver/deliver", ...receiver.deliverNow);

pages.get("/settings", ...settings.settingsPage);
pages.post("/settings", ...settings.saveSettings);
pages.post("/settings/logo", ...settings.saveLogo);
pages.post("/settings/remove-logo", ...settings.removeLogo);
decides("/settings/end-grants", settings.endGrants);
decides("/settings/sign-everybody-out", settings.signEverybodyOut);
decides("/settings/refuse-external-tokens", settings.refuseExternalTokens);
pages.post("/settings/take-external-tokens", ...settings.takeExternalTokens);

pages.get("/connections", ...connectionsPage);
pages.get("/token-test", ...tokenTest.testTokenPage);
pages.post("/token-test", ...tokenTest.testToken);
routes<DoctorEnv>(adminConsole).get("/doctor", ...doctorPage);
