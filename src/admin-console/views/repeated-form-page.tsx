import { type ConsoleFrame, ConsoleLayout } from "#pages/views/console-layout.tsx";
import { SECTION_GROUPS } from "#pages/views/console-sections.ts";

/** The response to a form that was already sent, or whose page was open for too long. */
export function RepeatedFormPage(props: {
  readonly frame: ConsoleFrame;
  /** The path that the form was sent to. */
  readonly path: string;
  readonly isTooOld: boolean;
}) {
  const section = SECTION_GROUPS.flatMap(({ sections }) => sections.map(({ path }) => path))
    .filter((path) => props.path.startsWith(path))
    .toSorted((one, other) => other.length - one.length)[0];
  const page = section ?? "/admin";
  return (
    <ConsoleLayout
      frame={props.frame}
      section={page}
      title={props.isTooOld ? "This page was open for too long" : "This form was already submitted"}
      lead={
        props.isTooOld
          ? "Nothing was changed. Open it again and submit the form within an hour."
          : "It was not processed again. If it failed, check what it changed. If it created a secret that you didn’t save, replace the secret."
      }
    >
      <p>
        <a class="button" href={page}>
          Show the current state
        </a>
      </p>
    </ConsoleLayout>
  );
}
