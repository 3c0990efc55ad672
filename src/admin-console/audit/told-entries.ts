import type { ConsoleContext } from "#admin-console/http.ts";
import type { RecordedEntry } from "#audit/audit.ts";
import { idsIn, type Named, sentenceOf, whoOf } from "#audit/audit-sentence.ts";

/** Adds names in place of ids, and a sentence, to each entry. */
export async function told(c: ConsoleContext, entries: readonly RecordedEntry[]) {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const ids = idsIn(entries);
  const [people, tokens, apps] = await Promise.all([
    services.people.emailsOf(instanceId, ids),
    services.issuedTokens.namesOf(instanceId, ids),
    services.clientDirectory.namesOf(instanceId, ids),
  ]);
  const named = new Map<string, Named>();
  for (const [kind, names] of [["app", apps] as const, ["token", tokens] as const, ["person", people] as const]) {
    for (const [id, name] of names) named.set(id, { kind, name });
  }
  const nameOf = (id: string) => named.get(id);
  return entries.map((entry) => ({ ...entry, who: whoOf(entry.actor, nameOf), sentence: sentenceOf(entry, nameOf) }));
}
