import type { Narrowing } from "#admin-console/registration/registration-rules.ts";
import type { UnvouchedReach } from "#grants/grants.ts";
import { later, type Question } from "#pages/views/asking-page.tsx";
import { counted } from "#messages/catalogue.ts";
import { knownList, t } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/described-members.ts";

/**
 * Asks before new rules take something from apps that people use.
 *
 * @param fields the values of the submitted form, which the confirmation sends again
 */
export function narrowingQuestion(
  { scopes, identityHosts, closed }: Narrowing,
  { people, grants, documentPeople, documentGrants }: UnvouchedReach,
  fields: FormState["values"],
): Question {
  return {
    title: "Remove this from apps in use?",
    button: "Remove it",
    fields: { ...fields, confirmed: "yes" },
    back: "/admin/registration",
    leave: "Save nothing",
    words: [
      scopes === ""
        ? null
        : later(
            () =>
              t`“${knownList(scopes)}” is removed from every app that no administrator created, at its next renewal: ${inUse(people, grants)}.`,
          ),
      identityHosts === ""
        ? null
        : later(() => t`${identityHosts}: no longer learns who people are, at its next request.`),
      closed === "all"
        ? later(
            () =>
              t`Apps that no administrator created or approved can no longer sign people in: ${inUse(people, grants)}. Existing grants work until they end.`,
          )
        : null,
      closed === "documents"
        ? later(
            () =>
              t`Apps with a client metadata document can no longer sign people in: ${inUse(documentPeople, documentGrants)}. Existing grants work until they end.`,
          )
        : null,
      "Your other changes in the form are saved too.",
    ],
  };
}

function inUse(people: number, grants: number): string {
  if (grants === 0) return t`nobody uses such an app`;
  return t`${counted(people, "person uses", "people use")} such apps with ${counted(grants, "grant")}`;
}
