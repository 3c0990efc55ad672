import type { HeldUpload, RemovedDocuments } from "#documents/uploads/uploads.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import { later } from "#pages/views/later.tsx";

/** Asks before what a held upload left out is removed. */
export function removeHeldQuestion(upload: HeldUpload): Question {
  const { datasource, kind, groupName, stale, total, examples } = upload;
  return {
    title: "Remove what the upload left out?",
    fields: { kind, group: groupName },
    back: `/admin/content/${datasource}`,
    words: [
      later(
        () =>
          t`${stale} of ${total} ${known(kind)} of ${<bdi>{datasource}</bdi>} are removed, such as ${<bdi>{examples.join(", ")}</bdi>}.`,
      ),
      kind === "documents"
        ? "For seven days, they can be brought back on the datasource’s page."
        : "You can’t undo this. The datasource’s pipeline can upload them again.",
    ],
  };
}

/** Asks before documents that uploads removed are brought back. */
export function bringBackQuestion({ datasource, documents }: RemovedDocuments): Question {
  return {
    title: "Bring the removed documents back?",
    words: [
      later(
        () =>
          t`${documents} documents of ${<bdi>{datasource}</bdi>} get their permissions and metadata back, and can be found again.`,
      ),
      "Documents that were indexed again since stay as they are.",
      "The next complete upload that leaves them out removes them again. Fix the pipeline first.",
    ],
  };
}
