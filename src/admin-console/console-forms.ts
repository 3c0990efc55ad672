import { type ActName, ENDS } from "#administration/act-table.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { byPath } from "./by-path.ts";

/** A form of the console that decides something. */
interface ConsoleForm {
  /** The act that it performs. If a person's role doesn't allow it, the form is hidden or disabled. */
  readonly act: ActName;
  /** The label of the button that confirms it, also after a fresh sign-in; it says what will be done. */
  readonly button: string;
  /** Why the form needs no fresh sign-in although its act does. */
  readonly anySignIn?: string;
  /** Selects which of the forms sent to this address need a fresh sign-in, if the others end access or change nothing. */
  readonly when?: (form: Parameters) => boolean;
}

/** The forms of the console, by their paths below `/admin`. A form that isn't listed only looks something up. */
export const OTHER_FORMS: Readonly<Record<string, ConsoleForm>> = {
  "/single-sign-on": { act: "singleSignOn.connect", button: "Save the connection" },
  "/single-sign-on/add": { act: "singleSignOn.put", button: "Add the single sign-on" },
  "/single-sign-on/remove": { act: "singleSignOn.remove", button: "Remove the single sign-on" },
  "/single-sign-on/test": { act: "singleSignOn.connect", button: "Test", anySignIn: "stores nothing" },
  "/issuers/new": { act: "issuers.add", button: "Add the provider" },
  "/issuers/issuer": { act: "issuers.edit", button: "Save the provider" },
  "/issuers/disable": { act: "issuers.disable", button: "Disable" },
  "/issuers/enable": { act: "issuers.enable", button: "Enable the provider" },
  "/issuers/remove": { act: "issuers.remove", button: "Remove the provider" },
  "/audit/receiver": { act: "settings.change", button: "Save the receiver" },
  "/audit/receiver/authorization": { act: "audit.authorizeReceiver", button: "Save the header" },
  // It changes no setting, but sends data out of the service.
  "/audit/receiver/deliver": {
    act: "settings.change",
    button: "Deliver now",
    anySignIn: "the receiver gets these entries within a minute anyway",
  },
  "/settings": { act: "settings.change", button: "Save the settings" },
  "/settings/logo": { act: "logos.put", button: "Save the logo" },
  "/settings/remove-logo": { act: "logos.remove", button: "Remove the logo" },
  "/settings/end-grants": { act: "grants.revokeAll", button: "End all access" },
  "/settings/sign-everybody-out": { act: "sessions.endAll", button: "Sign everybody out" },
  "/settings/refuse-external-tokens": { act: "settings.change", button: "Refuse all", anySignIn: ENDS },
  "/settings/take-external-tokens": { act: "settings.change", button: "Accept external tokens" },
};

/** Returns the form at an address; `undefined` if it only looks something up. */
export const formAt = byPath(OTHER_FORMS);
