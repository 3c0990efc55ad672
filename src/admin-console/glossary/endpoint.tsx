import type { StoredGlossary } from "#glossary/glossaries.d1.ts";
import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { statusOf } from "#admin-console/form-values.ts";
import { type GlossaryEntry, inWords } from "#glossary/glossary.ts";
import { fromCsv, toCsv } from "#glossary/glossary-csv.ts";
import { UNTYPED } from "#pages/views/form.tsx";
import type { FormState } from "#platform/described-members.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { GlossaryPage } from "./views/glossary-page.tsx";

/** What words are also called in search. */
export const GLOSSARY_PATHS: ConsolePaths = {
  "/glossary": { page: (c) => show(c, UNTYPED) },
  "/glossary/export": {
    page: async (c) => {
      const { entries } = await stored(c);
      return c.body(toCsv(entries), 200, {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="glossary-${c.var.instance.policy.name}.csv"`,
      });
    },
  },
  // As CSV. Entries that exist get the new direction.
  "/glossary/add": changing("Add the entries", (entries, form) => {
    const added = fromCsv(form.require("entries"));
    const keyOf = ({ term, meaning, language }: GlossaryEntry) => JSON.stringify([term, meaning, language]);
    const again = new Set(added.map(keyOf));
    return [...entries.filter((one) => !again.has(keyOf(one))), ...added];
  }),
  "/glossary/remove": changing("Remove the entries", (entries, form) => {
    const removed = new Set(form.all("remove"));
    return entries.filter((one) => !removed.has(inWords(one)));
  }),
};

function changing(
  button: string,
  changed: (entries: readonly GlossaryEntry[], form: Parameters) => readonly GlossaryEntry[],
) {
  return consoleForm({
    act: "glossary.replace",
    button,
    about: stored,
    decide: async ({ form, administration }, { entries, text }) =>
      administration.glossary.replace(changed(entries, form), (seen) => {
        // Doesn't overwrite what somebody else changed since the entries were read.
        if (seen.text === text) return Promise.resolve();
        throw new AdministrationRefused("Somebody else changed the glossary: try again", "entries");
      }),
    again: ({ c }, state) => show(c, state),
    field: "entries",
    leadsTo: "/glossary",
    says: { saved: "Glossary saved. Searches use it within 10 seconds." },
  });
}

function stored(c: ConsoleContext): Promise<StoredGlossary> {
  return c.var.services.glossaries.read(c.var.instance.policy.instanceId);
}

async function show(c: ConsoleContext, state: FormState): Promise<Response> {
  const { services, instance } = c.var;
  const suggestions = await services.unfoundWords.suggestions(instance.policy.instanceId);
  const entries = (await stored(c)).entries.map((entry) => ({ ...entry, key: inWords(entry) }));
  const knowsCommon = instance.policy.settings.searchUsesCommonTerms;
  return render(c, <GlossaryPage {...{ entries, suggestions, knowsCommon, state }} />, statusOf(state));
}
