import type { D1Audit } from "./audit.d1.ts";
import type { RecordedEntry, Seal } from "./audit.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { type Break, breakBetween, isProven, isRecorded } from "./audit-chain.ts";
import { ENTRIES_PER_READ, entriesAfter } from "./audit-log.ts";
import { AUDIT_TRIMMED, KEPT_SECONDS_LEAST, keptBefore } from "./kept-seconds.ts";

/** Maximum entries that one call verifies: some tens of milliseconds of hashing. */
export const ENTRIES_PER_CHECK = 2000;

/** The result of verifying a chain. */
export interface ChainReport {
  readonly entries: number;
  /** How many of the entries are too new to have a seal. A change of one of these would not be noticed. */
  readonly unsealed: number;
  /** What is wrong with the chain, as a sentence, and at which sequence number. Absent if the chain is intact. */
  readonly broken?: string;
  readonly brokenAt?: number;
}

/** The result of verifying a part of a chain. */
export interface PartReport extends ChainReport {
  /**
   * The sequence number of the last entry that was read, from which the next part continues; `null` at the end of the chain, or if
   * it is broken.
   */
  readonly next: number | null;
}

/** Describes an intact chain, or an intact part of one, as a sentence. */
export function describeReport({ entries, unsealed }: ChainReport, which: "All" | "These" = "All"): string {
  const sealed = `${entries - unsealed} entries follow each other, and none was changed`;
  return unsealed === 0 ? `${which} ${sealed}` : `${sealed}; the newest ${unsealed} are not sealed yet`;
}

type Store = Pick<D1Audit, "after" | "cutAt" | "retentionBefore" | "unsealed">;

/** Verifies that no entries were changed, removed or inserted since they were recorded (ASVS 5.0 §16.4.2). */
export class ChainVerification {
  readonly #store: Store;
  readonly #keyring: Keyring;

  constructor(store: Store, keyring: Keyring) {
    this.#store = store;
    this.#keyring = keyring;
  }

  /**
   * Verifies {@link ENTRIES_PER_CHECK} entries of the chain, up to its first broken link. The chain begins with the first entry, or
   * after a removal by retention that is itself recorded, which may happen between two parts. Each such record must be of entries
   * that were old enough, by the decision that applied then.
   *
   * @param after the sequence number to continue from: the `next` of the previous part; 0 begins
   */
  async verifyPart(instanceId: number, after: number): Promise<PartReport> {
    let previous: RecordedEntry | undefined;
    let entries = 0;
    let unsealed = 0;
    const sealed: { readonly sequence: number; readonly seal: Seal }[] = [];
    const report = (at?: Break): PartReport => ({
      entries,
      unsealed,
      next: null,
      ...(at && { broken: at.broken, brokenAt: at.sequence }),
    });
    for await (const entry of entriesAfter(
      this.#store,
      instanceId,
      after === 0 ? Number.MIN_SAFE_INTEGER : after - 1,
    )) {
      const { sequence, seal } = entry;
      if (sequence < 1) return report({ sequence, broken: `entry ${sequence} comes before the first, which is 1` });
      const isLinked = previous || sequence === 1 || sequence === after;
      if (!isLinked && !(await cutBefore(this.#store, entry))) {
        const broken = `the entries before ${sequence} are missing, and no retention removed them`;
        return report({ sequence: sequence - 1, broken });
      }
      const broken = (await breakBetween(previous, entry)) ?? (await this.#early(entry));
      if (broken !== undefined) return report(broken);
      previous = entry;
      if (seal) sealed.push({ sequence, seal });
      if (sequence === after) continue;
      entries += 1;
      if (!seal) unsealed += 1;
      if (entries === ENTRIES_PER_CHECK) return { entries, unsealed, next: sequence };
    }
    // One MAC proves everything before it: in an intact chain, the last one is enough.
    let unproven: Break | undefined;
    for (const { sequence, seal } of sealed.toReversed()) {
      if (await isProven(this.#keyring, seal)) break;
      unproven = { sequence, broken: `entry ${sequence} is sealed by none of the configured master keys` };
    }
    return report(unproven ?? (unsealed === 0 ? undefined : await this.#unrecorded(instanceId)));
  }

  /** Returns what is wrong with the record of a removal, if the entries had to be kept for longer. */
  async #early({ instanceId, sequence, at, event, detail, seal }: RecordedEntry): Promise<Break | undefined> {
    if (event !== AUDIT_TRIMMED || !seal) return undefined;
    const { seconds, decision } = await keptBefore(this.#store, instanceId, sequence);
    const stated = Number(detail["keptSeconds"]);
    const isDue = Date.parse(String(detail["before"])) / 1000 <= at - Math.max(stated, KEPT_SECONDS_LEAST);
    // The removed entries may include the decision.
    if (isDue && (!decision || stated === seconds)) return undefined;
    return { sequence, broken: `entry ${sequence} records the removal of entries that had to be kept` };
  }

  /** Returns the first entry without a seal that no act recorded, and that therefore never gets one. */
  async #unrecorded(instanceId: number): Promise<Break | undefined> {
    for (const entry of await this.#store.unsealed(instanceId, ENTRIES_PER_READ)) {
      const { sequence, seal } = entry;
      if (!seal && !(await isRecorded(this.#keyring, entry)))
        return { sequence, broken: `entry ${sequence} was not recorded by an act` };
    }
    return undefined;
  }
}

/** Returns the record that retention removed the entries before one; `null` if there is none. */
export async function cutBefore(
  store: Pick<D1Audit, "cutAt">,
  { instanceId, sequence, seal }: RecordedEntry,
): Promise<RecordedEntry | null> {
  return seal && store.cutAt(instanceId, sequence - 1, seal.previousHash);
}

/** Checks whether this service sealed exactly this entry: by its own MAC, or by that of an entry which follows in an intact chain. */
export async function isSealed(
  store: Pick<D1Audit, "after">,
  keyring: Keyring,
  { instanceId, sequence }: RecordedEntry,
): Promise<boolean> {
  let previous: RecordedEntry | undefined;
  for await (const entry of entriesAfter(store, instanceId, sequence - 1)) {
    if (!entry.seal || (await breakBetween(previous, entry))) return false;
    if (await isProven(keyring, entry.seal)) return true;
    previous = entry;
  }
  return false;
}
