import type { HeldUpload } from "#documents/uploads/uploads.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { grouped } from "#pages/views/count.ts";

/** Asks before what a held upload left out is removed. */
export function removeHeldQuestion(upload: HeldUpload): Question {
  const { datasource, kind, groupName, stale, total, examples } = upload;
  return {
    title: "Remove what the upload left out?",
    fields: { kind, group: groupName },
    words: [
      <>
        {grouped(stale)} of {grouped(total)} {kind} of <bdi>{datasource}</bdi> are removed, such as{" "}
        <bdi>{examples.join(", ")}</bdi>.
      </>,
      kind === "documents"
        ? `For seven days, they can be brought back: npm run admin -- documents bring-back <instance> ${datasource}`
        : "You can’t undo this. The datasource’s pipeline can upload them again.",
    ],
  };
}
