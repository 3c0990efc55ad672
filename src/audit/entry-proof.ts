import type { Keyring } from "#crypto/keyring.ts";
import { randomId } from "#crypto/random.ts";
import type { AuditEntry, ProvenEntry, RecordedEntry } from "./audit.ts";

/** In the list of what the database adds: the actor, who is then a row's. */
export const ACTOR = "@actor";

type Stated = Pick<AuditEntry, "instanceId" | "at" | "actor" | "event"> & Pick<RecordedEntry, "detail">;

/**
 * Makes the proof that this service recorded an entry. The act makes it, in its own batch, and only entries with a proof are sealed:
 * otherwise, somebody who can write only to the database could insert an entry and have it sealed.
 *
 * A proof is `<id>.<members>.<MAC>`. The MAC covers the entry except its sequence number, which the database gives it, and the
 * members that the act's own SQL adds, such as how many rows it changed. The random id makes a copied entry recognisable.
 *
 * @param added the members of the details that the database adds, and {@link ACTOR}
 */
export async function makeProof(keyring: Keyring, entry: AuditEntry, added: readonly string[]): Promise<string> {
  const marks = `${randomId()}.${added.join(",")}`;
  const stated = { ...entry, detail: JSON.parse(JSON.stringify(entry.detail)) as Stated["detail"] };
  return `${marks}.${await keyring.mac("audit-entry", textOf(stated, marks))}`;
}

/** Checks whether this service recorded an entry, under any configured master key. A copy has the proof of the entry that was copied. */
export async function isRecorded(keyring: Keyring, { proof, isCopy, ...entry }: ProvenEntry): Promise<boolean> {
  const [id, added, mac = "", ...more] = proof?.split(".") ?? [];
  // Copies are recognised by the whole proof, so there must be only one way of writing it.
  if (isCopy || more.length > 0) return false;
  return keyring.verifyMac("audit-entry", textOf(entry, `${id}.${added}`), mac);
}

function textOf({ instanceId, at, actor, event, detail }: Omit<Stated, "event"> & { event: string }, marks: string) {
  const names = marks.slice(marks.indexOf(".") + 1);
  const added = names === "" ? [] : names.split(",");
  const stated = Object.entries(detail).filter(([name]) => !added.includes(name));
  return JSON.stringify([marks, instanceId, at, added.includes(ACTOR) ? null : actor, event, stated]);
}
