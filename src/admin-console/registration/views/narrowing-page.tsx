import type { UnvouchedReach } from "#grants/grant-directory.ts";
import type { Narrowing } from "#admin-console/registration/registration-rules.ts";
import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import type { FormState } from "#platform/form-state.ts";

export interface NarrowingPageProps {
  readonly frame: ConsoleFrame;
  readonly narrowing: Narrowing;
  readonly reach: UnvouchedReach;
  /** The values of the submitted form, which the confirmation sends again. */
  readonly fields: FormState["values"];
}

/** Asks before new rules take something from apps that people use. */
export function NarrowingPage({ frame, narrowing, reach, fields }: NarrowingPageProps) {
  return (
    <AskingPage
      frame={frame}
      section="/admin/registration"
      title="Remove this from apps in use?"
      action="/admin/registration"
      button="Remove it"
      fields={{ ...fields, confirmed: "yes" }}
      back="/admin/registration"
      leave="Save nothing"
    >
      <ul>
        {narrowing.scopes === "" ? null : (
          <li>
            “{narrowing.scopes}” is removed from every app that no administrator created, at its next renewal:{" "}
            {inUse(reach.people, reach.grants)}.
          </li>
        )}
        {narrowing.identityHosts === "" ? null : (
          <li>{narrowing.identityHosts}: no longer learns who people are, at its next request.</li>
        )}
        {narrowing.closed === "all" ? (
          <li>
            Apps that no administrator created or approved can no longer sign people in:{" "}
            {inUse(reach.people, reach.grants)}. Existing grants work until they end.
          </li>
        ) : null}
        {narrowing.closed === "documents" ? (
          <li>
            Apps with a client metadata document can no longer sign people in:{" "}
            {inUse(reach.documentPeople, reach.documentGrants)}. Existing grants work until they end.
          </li>
        ) : null}
        <li>Your other changes in the form are saved too.</li>
      </ul>
    </AskingPage>
  );
}

function inUse(people: number, grants: number): string {
  if (grants === 0) return "nobody uses such an app";
  return `${counted(people, "person uses", "people use")} such apps with ${counted(grants, "grant")}`;
}
