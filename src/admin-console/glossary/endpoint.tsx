import type { StoredGlossary } from "#glossary/glossaries.d1.ts";
import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { refusedForm, statusOf } from "#admin-console/refused-form.ts";
import { type GlossaryEntry, inWords } from "#glossary/glossary.ts";
import { fromCsv, toCsv } from "#glossary/glossary-csv.ts";
import { UNTYPED } from "#pages/untyped.ts";
import type { FormState } from "#platform/form-state.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { GlossaryPage } from "./views/glossary-page.tsx";

/** GET /admin/glossary */
export const glossaryPage = pages.createHandlers((c) => show(c, UNTYPED));

/** GET /admin/glossary/export: the entries as a CSV file. */
export const exportGlossary = pages.createHandlers(async (c) => {
  const { entries } = await stored(c);
  return c.body(toCsv(entries), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="glossary-${c.var.instance.policy.name}.csv"`,
  });
});

/** POST /admin/glossary/add: adds entries, as CSV. Those that exist get the new direction. */
export const addEntries = forms.createHandlers((c) =>
  change(c, c.var.form, (entries) => {
    const added = fromCsv(c.var.form.require("entries"));
    const keyOf = ({ term, meaning, language }: GlossaryEntry) => JSON.stringify([term, meaning, language]);
    const again = new Set(added.map(keyOf));
    return [...entries.filter((one) => !again.has(keyOf(one))), ...added];
  }),
);

/** POST /admin/glossary/remove: removes the selected entries. */
export const removeEntries = forms.createHandlers((c) =>
  change(c, c.var.form, (entries) => {
    const removed = new Set(c.var.form.all("remove"));
    return entries.filter((one) => !removed.has(inWords(one)));
  }),
);

async function change(
  c: ConsoleContext,
  form: Parameters,
  made: (entries: readonly GlossaryEntry[]) => readonly GlossaryEntry[],
) {
  const { entries, text } = await stored(c);
  try {
    await c.var.services.administration.glossary.replace(made(entries), (seen) => {
      // Doesn't overwrite what somebody else changed since the entries were read.
      if (seen.text === text) return Promise.resolve();
      throw new AdministrationRefused("Somebody else changed the glossary: try again", "entries");
    });
  } catch (error) {
    return show(c, refusedForm(form, error, "entries"));
  }
  return done(c, "/glossary", "saved");
}

function stored(c: ConsoleContext): Promise<StoredGlossary> {
  return c.var.services.glossaries.read(c.var.instance.policy.instanceId);
}

async function show(c: ConsoleContext, state: FormState): Promise<Response> {
  const { services, instance } = c.var;
  const suggestions = await services.unfoundWords.suggestions(instance.policy.instanceId);
  const entries = (await stored(c)).entries.map((entry) => ({ ...entry, key: inWords(entry) }));
  const knowsCommon = c.var.instance.policy.settings.searchUsesCommonTerms;
  return render(c, <GlossaryPage {...{ entries, suggestions, knowsCommon, state }} />, statusOf(state));
}
