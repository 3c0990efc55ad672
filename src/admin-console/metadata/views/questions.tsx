import type { FoundGroup, ListedKey } from "#custom-metadata/group-directory.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import type { FormState } from "#platform/form-state.ts";
import { countedDocuments } from "./counted-documents.ts";

const CLEAN_UP =
  "The values stay in storage until the clean-up, which runs every hour and updates 10,000 documents. Until then, free text still finds documents by their words.";

/**
 * Asks before keys are removed.
 *
 * @param fields the values of the submitted form, which the confirmation sends again
 */
export function dropKeysQuestion(
  { display }: FoundGroup,
  going: readonly ListedKey[],
  fields: FormState["values"],
): Question {
  return {
    title: going.length === 1 ? "Remove this key?" : "Remove these keys?",
    lead: `The group ${display}.`,
    ...(going.length === 1 && { button: "Remove the key" }),
    leave: "Save nothing",
    fields: { ...fields, dropped: going.map(({ name }) => name).join(",") },
    words: [
      ...going.map((key) => (
        <>
          <strong>{key.display}</strong> is removed: {valuesOf(key)}. A later key of that name doesn’t get these values.
        </>
      )),
      going.every(({ documents }) => documents.count === 0) ? null : CLEAN_UP,
      "Your other changes in the form are saved too.",
    ],
  };
}

/** Asks before a group is deleted. */
export function deleteGroupQuestion({ display, documents }: FoundGroup): Question {
  const isUnused = documents.count === 0;
  return {
    title: "Delete this group?",
    lead: `The group ${display}.`,
    words: [
      isUnused
        ? "No document has values of it."
        : `Values on ${countedDocuments(documents)} are no longer shown or available in filters. You can’t undo this: a later group of that name doesn’t get them back.`,
      isUnused ? null : CLEAN_UP,
      "Tokens for this group stay valid and can create the group again. Revoke them to prevent this.",
    ],
  };
}

function valuesOf({ documents }: ListedKey): string {
  if (documents.count === 0 && !documents.isCapped) return "no document has a value of it";
  const isOne = documents.count === 1 && !documents.isCapped;
  return `${countedDocuments(documents)} ${isOne ? "has" : "have"} a value of it, which is no longer shown or available in filters`;
}
