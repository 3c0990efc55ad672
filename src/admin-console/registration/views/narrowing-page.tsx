import type { UnvouchedReach } from "#grants/grant-directory.ts";
import type { Narrowing } from "#admin-console/registration/registration-rules.ts";
import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { HiddenFields } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface NarrowingPageProps {
  readonly frame: ConsoleFrame;
  readonly narrowing: Narrowing;
  readonly reach: UnvouchedReach;
  /** The form that was sent, to be sent again. */
  readonly fields: FormState["values"];
}

/** Asks before rules take something from apps that people use. */
export function NarrowingPage({ frame, narrowing, reach, fields }: NarrowingPageProps) {
  return (
    <AskingPage
      frame={frame}
      section="/admin/registration"
      title="Take this from apps that are in use?"
      action="/admin/registration"
      button="Take it away"
      sends={{ name: "confirmed", value: "yes" }}
      back="/admin/registration"
      leave="Save nothing"
    >
      <HiddenFields values={fields} />
      <ul>
        {narrowing.scopes === "" ? null : (
          <li>
            “{narrowing.scopes}” is taken from every app that no administrator made, at its next renewal:{" "}
            {inUse(reach.people, reach.grants)}.
          </li>
        )}
        {narrowing.documents ? (
          <li>
            Apps that describe themselves at their own address can sign nobody in any more:{" "}
            {inUse(reach.documentPeople, reach.documentGrants)}. What is connected goes on until it ends.
          </li>
        ) : null}
        <li>The other changes that you made in the form are saved with it.</li>
      </ul>
    </AskingPage>
  );
}

function inUse(people: number, grants: number): string {
  if (grants === 0) return "nobody uses such an app now";
  return `${counted(people, "person uses", "people use")} such apps with ${counted(grants, "grant")}`;
}
