import type { Child } from "hono/jsx";
import { t } from "./console-frame.ts";
import { ConsoleLayout, Panel } from "./console-layout.tsx";

/** The layout of the only page that shows a secret: what it belongs to, and a link to continue once it is saved. */
export function SecretLayout(props: {
  readonly title: string;
  readonly lead: string | undefined;
  /** The name of the app or token that the secret belongs to. */
  readonly name: string;
  /** The address of the next page. */
  readonly next: string;
  readonly children?: Child;
}) {
  return (
    <ConsoleLayout title={props.title} lead={props.lead}>
      <Panel title={<bdi>{props.name}</bdi>}>{props.children}</Panel>
      <p class="toolbar">
        <a class="button" href={props.next}>{t`I’ve saved it`}</a>
      </p>
    </ConsoleLayout>
  );
}
