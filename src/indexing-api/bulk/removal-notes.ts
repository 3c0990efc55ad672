import type { D1Audit } from "#audit/audit.d1.ts";
import { auditedRemoval } from "#administration/content-acts.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import { isMassRemoval } from "#documents/uploads/stale.ts";
import type { UploadProgress } from "#documents/uploads/uploads.ts";
import { epochSeconds, isoTime } from "#platform/clock.ts";
import type { ReadPage } from "./page.ts";

/** Notes in the audit which uploads remove, or would remove, much of what a datasource has. */
export class RemovalNotes {
  readonly #store: Pick<D1Audit, "appendOnce">;
  readonly #trail: Pick<AuditLog, "seal">;

  constructor(store: Pick<D1Audit, "appendOnce">, trail: Pick<AuditLog, "seal">) {
    this.#store = store;
    this.#trail = trail;
  }

  /** Notes an upload after its last page, once, however often that page is sent: the first response may have failed here. */
  async note(instanceId: number, page: ReadPage, taken: UploadProgress, actor: string): Promise<void> {
    if (!isMassRemoval(taken)) return;
    const { stale, total, startedAt, heldUntil } = taken;
    const about = { instanceId, at: epochSeconds(), actor };
    const detail = { ...auditedRemoval({ ...page, stale }), total, began: isoTime(startedAt) };
    if (heldUntil === null && !page.isUnchecked) return;
    await this.#store.appendOnce(
      heldUntil === null
        ? { ...about, event: "removal_unchecked", detail }
        : { ...about, event: "removal_held", detail: { ...detail, until: isoTime(heldUntil) } },
    );
    await this.#trail.seal(instanceId);
  }
}
