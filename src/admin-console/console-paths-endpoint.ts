import { ACTS } from "#administration/act-table.ts";
import type { SteppedUpForm } from "#session/step-up.ts";
import { byPath } from "./by-path.ts";
import { OTHER_FORMS } from "./console-forms.ts";
import { CONTENT_OF_APP_PATHS } from "./clients/content-endpoint.tsx";
import { CLIENT_PATHS } from "./clients/endpoint.tsx";
import { RULE_PATHS } from "./clients/rules-endpoint.tsx";
import { CONTENT_PATHS } from "./content/endpoint.tsx";
import { DOCUMENT_STORAGE_PATHS } from "./document-storage/endpoint.tsx";
import { GLOSSARY_PATHS } from "./glossary/endpoint.tsx";
import { GRANT_PATHS } from "./grants/endpoint.tsx";
import { KEY_PATHS } from "./keys/endpoint.tsx";
import { METADATA_PATHS } from "./metadata/endpoint.tsx";
import { OAUTH_PATHS } from "./oauth/endpoint.tsx";
import { PEOPLE_PATHS } from "./people/endpoint.tsx";
import { REGISTRATION_PATHS } from "./registration/endpoint.tsx";
import { SERVICE_ACCOUNT_PATHS } from "./service-accounts/endpoint.tsx";
import { SIGNAL_PATHS } from "./signals/endpoint.tsx";
import { TOKEN_PATHS } from "./tokens/endpoint.tsx";
import type { ConsoleForm, ConsolePaths } from "./form-endpoint.tsx";
import { NOTICES } from "./notices-endpoint.ts";

/** The pages and forms that say everything about themselves. */
export const CONSOLE_PATHS: ConsolePaths = {
  ...OAUTH_PATHS,
  ...CLIENT_PATHS,
  ...RULE_PATHS,
  ...CONTENT_OF_APP_PATHS,
  ...REGISTRATION_PATHS,
  ...SIGNAL_PATHS,
  ...GRANT_PATHS,
  ...SERVICE_ACCOUNT_PATHS,
  ...GLOSSARY_PATHS,
  ...METADATA_PATHS,
  ...CONTENT_PATHS,
  ...DOCUMENT_STORAGE_PATHS,
  ...KEY_PATHS,
  ...PEOPLE_PATHS,
  ...TOKEN_PATHS,
};

const forms = Object.entries(CONSOLE_PATHS).flatMap(([path, { form }]) => (form ? [[path, form] as const] : []));

/** The forms of the console, by their paths. A form that isn't listed only looks something up. */
export const CONSOLE_FORMS: Readonly<Record<string, Pick<ConsoleForm, "act" | "button" | "anySignIn" | "when">>> = {
  ...OTHER_FORMS,
  ...Object.fromEntries(forms),
};

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

const noticesAt = byPath<ReadonlyMap<string, string>>({
  ...Object.fromEntries(Object.entries(NOTICES).map(([page, says]) => [page, new Map(Object.entries(says))])),
  ...Object.fromEntries(
    Object.entries(leading).map(([page, to = []]) => [
      page,
      new Map(to.flatMap(([, { says = {} }]) => Object.entries(says))),
    ]),
  ),
});

/** Returns what a page says after a form that led to it; `undefined` if there is nothing for this word. */
export function noticeAt(path: string, word = ""): string | undefined {
  return noticesAt(path)?.get(word);
}
