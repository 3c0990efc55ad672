import type { D1Audit } from "#audit/audit.d1.ts";
import type { BulkUploads, HeldUpload, RemovedFate } from "#documents/uploads/uploads.ts";
import { Acts } from "./acts.ts";

interface Parts {
  readonly audit: Pick<D1Audit, "append">;
  readonly documents: Pick<BulkUploads, "uploads" | "decideRemoval" | "removedDocuments" | "decideFate">;
}

/** An upload whose removal is held, by what it replaces. */
export type HeldTarget = Pick<HeldUpload, "datasource" | "kind" | "groupName">;

/**
 * Decisions about what bulk uploads remove. The entry is written first, because it can't be written together with the documents: if
 * these can't be reached, the response is 503, and repeating the request decides.
 */
export class ContentActs extends Acts<Parts> {
  /** Removes what is held. @returns `false` if nothing is */
  async removeHeld(target: HeldTarget): Promise<boolean> {
    return this.#decide(target, "remove");
  }

  /** Keeps what is held. The next upload is checked again. @returns `false` if nothing is */
  async discardHeld(target: HeldTarget): Promise<boolean> {
    return this.#decide(target, "discard");
  }

  /**
   * Brings back the documents of a datasource that uploads removed, except those that were indexed again since. The clean-up goes on
   * with it.
   *
   * @returns `false` if there are none
   */
  async bringBack(datasource: string): Promise<boolean> {
    return this.#decideFate(datasource, "bring back");
  }

  /** Erases the same documents for good. @returns `false` if there are none */
  async eraseRemoved(datasource: string): Promise<boolean> {
    return this.#decideFate(datasource, "erase");
  }

  async #decide(target: HeldTarget, decision: "remove" | "discard") {
    const { datasource, kind, groupName } = target;
    const uploads = await this.parts.documents.uploads(this.instance.id, datasource, { kind, groupName });
    const upload = uploads.find(({ status }) => status === "held");
    if (!upload) return this.concluded(false);
    const detail = { ...auditedRemoval({ ...upload, datasource }), decision };
    await this.parts.audit.append(this.entry("removal_decided", detail));
    const { uploadId } = upload;
    await this.parts.documents.decideRemoval(this.instance.id, {
      target: { ...target, uploadId },
      removes: decision === "remove",
    });
    return this.concluded(true);
  }

  async #decideFate(datasource: string, fate: RemovedFate): Promise<boolean> {
    const removed = await this.parts.documents.removedDocuments(this.instance.id);
    const documents = removed.find((one) => one.datasource === datasource)?.documents ?? 0;
    if (documents === 0) return this.concluded(false);
    const event = fate === "erase" ? "removal_final" : "removal_undone";
    await this.parts.audit.append(this.entry(event, { datasource, documents }));
    await this.parts.documents.decideFate(this.instance.id, datasource, fate);
    return this.concluded(true);
  }
}

/** Returns what audit entries say about an upload that would remove much. */
export function auditedRemoval(upload: HeldTarget & Pick<HeldUpload, "uploadId" | "stale">) {
  const { datasource, kind, groupName, uploadId, stale } = upload;
  return { datasource, kind, ...(groupName === "" ? {} : { group: groupName }), uploadId, stale };
}
