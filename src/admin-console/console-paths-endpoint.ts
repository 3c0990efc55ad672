import { ACTS } from "#administration/act-table.ts";
import type { SteppedUpForm } from "#session/step-up.ts";
import { accessPage } from "./access/endpoint.tsx";
import { AUDIT_PATHS } from "./audit/endpoint.tsx";
import { RECEIVER_PATHS } from "./audit/receiver-endpoint.tsx";
import { CONTENT_OF_APP_PATHS } from "./clients/content-endpoint.tsx";
import { CLIENT_PATHS } from "./clients/endpoint.tsx";
import { RULE_PATHS } from "./clients/rules-endpoint.tsx";
import { connectionsPage } from "./connections/endpoint.tsx";
import { CONTENT_PATHS } from "./content/endpoint.tsx";
import { directoriesPage } from "./directories/endpoint.tsx";
import { doctorPage } from "./doctor/endpoint.tsx";
import { DOCUMENT_STORAGE_PATHS } from "./document-storage/endpoint.tsx";
import type { ConsoleForm, ConsolePaths } from "./page-endpoint.tsx";
import { GLOSSARY_PATHS } from "./glossary/endpoint.tsx";
import { GRANT_PATHS } from "./grants/endpoint.tsx";
import { ISSUER_PATHS, NEW_ISSUER_PATHS } from "./issuers/endpoint.tsx";
import { KEY_PATHS } from "./keys/endpoint.tsx";
import { METADATA_PATHS } from "./metadata/endpoint.tsx";
import { OAUTH_PATHS } from "./oauth/endpoint.tsx";
import { overviewPage } from "./overview/endpoint.tsx";
import { PEOPLE_PATHS } from "./people/endpoint.tsx";
import { REGISTRATION_PATHS } from "./registration/endpoint.tsx";
import { SERVICE_ACCOUNT_PATHS } from "./service-accounts/endpoint.tsx";
import { SETTINGS_PATHS } from "./settings/endpoint.tsx";
import { SIGNAL_PATHS } from "./signals/endpoint.tsx";
import { SINGLE_SIGN_ON_PATHS } from "./single-sign-on/endpoint.tsx";
import { TOKEN_PATHS } from "./tokens/endpoint.tsx";

const PATHS: ConsolePaths = {
  "/": { page: overviewPage },
  ...OAUTH_PATHS,
  ...CLIENT_PATHS,
  ...RULE_PATHS,
  ...CONTENT_OF_APP_PATHS,
  ...REGISTRATION_PATHS,
  ...SINGLE_SIGN_ON_PATHS,
  ...SIGNAL_PATHS,
  ...ISSUER_PATHS,
  ...NEW_ISSUER_PATHS,
  ...GRANT_PATHS,
  ...SERVICE_ACCOUNT_PATHS,
  ...GLOSSARY_PATHS,
  ...METADATA_PATHS,
  ...CONTENT_PATHS,
  ...DOCUMENT_STORAGE_PATHS,
  ...KEY_PATHS,
  ...PEOPLE_PATHS,
  "/people/:id/access": { page: accessPage },
  "/directories": { page: directoriesPage },
  ...AUDIT_PATHS,
  ...RECEIVER_PATHS,
  ...TOKEN_PATHS,
  ...SETTINGS_PATHS,
  "/connections": { page: connectionsPage },
  "/doctor": { page: doctorPage },
};

/** The pages and forms of the console, except those that need or do something that no other does. */
export const CONSOLE_PATHS = literalFirst(PATHS);

const forms = CONSOLE_PATHS.flatMap(([path, { form }]) => (form ? [[path, form] as const] : []));

/** The forms of the console, by their paths. A form that isn't listed only looks something up. */
export const CONSOLE_FORMS: Readonly<Record<string, ConsoleForm>> = Object.fromEntries(forms);

/** Returns the form at an address; `undefined` if it only looks something up. */
export const formAt = byPath(CONSOLE_FORMS);

/** Returns the form at an address, if it needs a fresh sign-in: unless its act or the form says why not. */
export function steppedUpFormAt(address: string): SteppedUpForm | undefined {
  const form = formAt(address);
  if (form === undefined || (form.anySignIn ?? ACTS[form.act].anySignIn) !== undefined) return undefined;
  return { act: form.button, ...(form.when && { when: form.when }) };
}

/** The forms that lead to each page. */
const leading = Object.groupBy(forms, ([path, { leadsTo = path }]) => leadsTo);

const noticesAt = byPath(
  Object.fromEntries(
    Object.entries(leading).map(([page, to = []]) => [
      page,
      new Map(to.flatMap(([, { says = {} }]) => Object.entries(says))),
    ]),
  ),
);

/** Returns what a page says after a form that led to it; `undefined` if there is nothing for this word. */
export function noticeAt(path: string, word = ""): string | undefined {
  return noticesAt(path)?.get(word);
}

/** Returns the rows of paths in the order in which they are looked at: a literal path is never meant as a parameter. */
function literalFirst<Row>(table: Readonly<Record<string, Row>>): [path: string, row: Row][] {
  const hasParameter = (path: string) => Number(path.includes(":"));
  return Object.entries(table).toSorted(([one], [other]) => hasParameter(one) - hasParameter(other));
}

/** Returns a function that finds the row of a path at an address below `/admin`. */
function byPath<Row>(table: Readonly<Record<string, Row>>): (address: string) => Row | undefined {
  const patterns = literalFirst(table).map(
    ([path, row]) => [new RegExp(`^/admin${path.replaceAll(/:\w+/g, "[^/]+")}$`), row] as const,
  );
  return (address) => {
    const [path = ""] = address.split("?");
    return patterns.find(([pattern]) => pattern.test(path))?.[1];
  };
}
