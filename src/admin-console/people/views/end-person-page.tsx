import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import type { FormState } from "#platform/form-state.ts";

interface EndPersonPageProps {
  readonly frame: ConsoleFrame;
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  /** The last part of the form's address. */
  readonly act: string;
  /** The question, without the person's name at its end. */
  readonly title: string;
  readonly button: string;
  readonly words: string;
  /** The apps that lose access. */
  readonly apps: readonly string[];
  /** The fields that the confirmation sends. */
  readonly fields: FormState["values"];
}

/** Asks before a person loses access or a role. */
export function EndPersonPage({ person, act, title, apps, ...asked }: EndPersonPageProps) {
  const path = `/admin/people/${person.id}`;
  return (
    <AskingPage
      {...asked}
      section="/admin/people"
      title={`${title} ${person.name}?`}
      lead={person.email}
      action={`${path}/${act}`}
      back={path}
    >
      {apps.length === 0 ? null : (
        <p>
          Apps that lose access: <bdi>{apps.join(", ")}</bdi>
        </p>
      )}
    </AskingPage>
  );
}
