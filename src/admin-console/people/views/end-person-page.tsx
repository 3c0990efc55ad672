import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { HiddenFields } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface EndPersonPageProps {
  readonly frame: ConsoleFrame;
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  /** The label of the button that confirms, and what it does. */
  readonly button: string;
  readonly words: string;
  /** The apps that lose access. */
  readonly apps: readonly string[];
  /** What was posted, to be sent again. */
  readonly fields: FormState["values"];
}

/** Asks before somebody loses access. */
export function EndPersonPage({ frame, person, button, words, apps, fields }: EndPersonPageProps) {
  const path = `/admin/people/${person.id}`;
  return (
    <AskingPage
      {...{ frame, button }}
      section="/admin/people"
      title={`${person.name}: are you sure?`}
      lead={person.email}
      action={path}
      sends={{ name: "confirmed", value: "yes" }}
      back={path}
    >
      <HiddenFields values={fields} />
      <p>{words}</p>
      {apps.length === 0 ? null : (
        <p>
          Apps that lose access: <bdi>{apps.join(", ")}</bdi>
        </p>
      )}
    </AskingPage>
  );
}
