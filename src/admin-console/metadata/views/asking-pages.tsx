import type { FoundGroup, ListedKey } from "#custom-metadata/group-directory.ts";
import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import type { FormState } from "#platform/form-state.ts";
import type { Child } from "hono/jsx";
import { countedDocuments } from "./counted-documents.ts";

interface GroupAskedAbout {
  readonly frame: ConsoleFrame;
  readonly path: string;
  readonly group: FoundGroup;
}

/** Asks before keys are removed. */
export function DropKeysPage(
  props: GroupAskedAbout & {
    readonly going: readonly ListedKey[];
    /** The values of the submitted form, which the confirmation sends again. */
    readonly fields: FormState["values"];
  },
) {
  const { going, fields } = props;
  return (
    <Asking
      {...props}
      title={going.length === 1 ? "Remove this key?" : "Remove these keys?"}
      act="schema"
      leave="Save nothing"
      fields={{ ...fields, dropped: going.map(({ name }) => name).join(",") }}
      button={going.length === 1 ? "Remove the key" : "Remove the keys"}
    >
      {going.map((key) => (
        <li>
          <strong>{key.display}</strong> is removed: {valuesOf(key)}. A later key of that name doesn’t get these values.
        </li>
      ))}
      {going.every(({ documents }) => documents.count === 0) ? null : <CleanUp />}
      <li>Your other changes in the form are saved too.</li>
    </Asking>
  );
}

/** Asks before a group is deleted. */
export function DeleteGroupPage(props: GroupAskedAbout) {
  const { group } = props;
  return (
    <Asking {...props} title="Delete this group?" act="delete" button="Delete the group">
      <li>
        {group.documents.count === 0 ? (
          "No document has values of it."
        ) : (
          <>
            Values on {countedDocuments(group.documents)} are no longer shown or available in filters. You can’t undo
            this: a later group of that name doesn’t get them back.
          </>
        )}
      </li>
      {group.documents.count === 0 ? null : <CleanUp />}
      <li>Tokens for this group stay valid and can create the group again. Revoke them to prevent this.</li>
    </Asking>
  );
}

function valuesOf({ documents }: ListedKey): string {
  if (documents.count === 0 && !documents.isCapped) return "no document has a value of it";
  const isOne = documents.count === 1 && !documents.isCapped;
  return `${countedDocuments(documents)} ${isOne ? "has" : "have"} a value of it, which is no longer shown or available in filters`;
}

function CleanUp() {
  return (
    <li>
      The values stay in storage until the clean-up, which runs every hour and updates 10,000 documents. Until then,
      free text still finds documents by their words.
    </li>
  );
}

function Asking(
  props: GroupAskedAbout & {
    readonly title: string;
    readonly act: string;
    readonly button: string;
    readonly leave?: string;
    readonly fields?: FormState["values"];
    readonly children?: Child;
  },
) {
  const { path, group, act, children, ...others } = props;
  return (
    <AskingPage
      {...others}
      section="/admin/metadata"
      lead={`The group ${group.display}.`}
      action={`${path}/${act}`}
      back={path}
    >
      <ul>{children}</ul>
    </AskingPage>
  );
}
