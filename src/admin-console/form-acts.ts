import { ACT_SCOPES, type ActName } from "#administration/act-scopes.ts";
import type { Needed } from "#administration/authority.ts";

/**
 * The act that each form of the console performs, by its path below `/admin`. If a person's role doesn't allow it, the form is hidden or
 * disabled. A form that isn't listed only looks something up.
 */
export const FORM_ACTS: Readonly<Record<string, ActName>> = {
  "/oauth": "settings.change",
  "/oauth/enable": "settings.change",
  "/oauth/disable": "settings.change",
  "/clients/new": "clients.create",
  "/clients/rules": "appRules.replace",
  "/clients/app": "clients.change",
  "/clients/approve": "clients.approve",
  "/clients/decide": "clients.decideAll",
  "/clients/disable": "clients.decideAll",
  "/clients/enable": "clients.enable",
  "/clients/delete": "clients.remove",
  "/clients/:clientId": "clients.change",
  "/clients/:clientId/rotate-secret": "clients.rotateSecret",
  "/clients/:clientId/disable": "clients.disable",
  "/clients/:clientId/enable": "clients.enable",
  "/clients/:clientId/delete": "clients.remove",
  "/registration": "settings.change",
  "/single-sign-on": "singleSignOn.connect",
  "/single-sign-on/test": "singleSignOn.connect",
  "/issuers/new": "issuers.add",
  "/issuers/issuer": "issuers.edit",
  "/issuers/disable": "issuers.disable",
  "/issuers/enable": "issuers.enable",
  "/issuers/remove": "issuers.remove",
  "/signals/transmitter": "signals.put",
  "/signals/remove": "signals.remove",
  "/grants/:id/revoke": "grants.revoke",
  "/metadata/new": "metadata.create",
  "/metadata/groups/:group/schema": "metadata.replace",
  "/metadata/groups/:group/delete": "metadata.remove",
  "/document-storage/move": "documents.move",
  "/document-storage/cancel": "documents.cancelMove",
  "/document-storage/erase-old": "documents.eraseOld",
  "/keys/rotate": "signingKeys.rotate",
  "/people": "people.nameRole",
  "/people/:id/deactivate": "people.deactivate",
  "/people/:id/reactivate": "people.reactivate",
  "/people/:id/release": "people.release",
  "/people/:id/role": "people.nameRole",
  "/tokens/new": "serviceTokens.issue",
  "/tokens/:id/rotate": "serviceTokens.rotate",
  "/tokens/:id/revoke": "serviceTokens.revoke",
  "/service-accounts/new": "serviceAccounts.create",
  "/service-accounts/:id": "serviceAccounts.change",
  "/service-accounts/:id/disable": "serviceAccounts.disable",
  "/service-accounts/:id/enable": "serviceAccounts.enable",
  "/service-accounts/:id/delete": "serviceAccounts.remove",
  "/audit/receiver": "settings.change",
  "/audit/receiver/authorization": "audit.authorizeReceiver",
  // It changes no setting, but sends data out of the service.
  "/audit/receiver/deliver": "settings.change",
  "/settings": "settings.change",
  "/settings/logo": "logos.put",
  "/settings/remove-logo": "logos.remove",
  "/settings/end-grants": "grants.revokeAll",
  "/settings/sign-everybody-out": "sessions.endAll",
  "/settings/refuse-external-tokens": "settings.change",
  "/settings/take-external-tokens": "settings.change",
};

const FORMS = Object.keys(FORM_ACTS).map(
  (path) => [path, new RegExp(`^/admin${path.replaceAll(/:\w+/g, "[^/]+")}$`)] as const,
);

/**
 * Returns the path in {@link FORM_ACTS} of the form at an address. There, literal paths come before paths with parameters that would
 * match them.
 */
export function formAt(address: string): string | undefined {
  const [path = ""] = address.split("?");
  return FORMS.find(([, pattern]) => pattern.test(path))?.[0];
}

/** Returns the scope that the form at an address needs; `undefined` if the form only looks something up. */
export function scopeOfForm(address: string): Needed | undefined {
  const act = FORM_ACTS[formAt(address) ?? ""];
  return act && ACT_SCOPES[act];
}
