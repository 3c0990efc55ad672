import type { ConnectionStep } from "#connection-attempts/connection-step.ts";
import { ConsoleLayout, DataTable, Panel } from "#pages/views/console-layout.tsx";
import { t } from "#pages/views/console-frame.ts";
import { AnotherLink, RefusedSignIns } from "./single-sign-on-page.tsx";

/** The SSOs of an organisation that has several. */
export function SingleSignOnsPage(props: {
  readonly ssos: readonly {
    readonly path: string;
    readonly label: string;
    readonly issuer: string;
    readonly domains: readonly string[];
    readonly people: number;
  }[];
  /** Whether another one can be added. */
  readonly hasRoom: boolean;
  readonly refused: readonly ConnectionStep[];
}) {
  return (
    <ConsoleLayout
      title={t`Single sign-on`}
      lead={t`People choose where they sign in, unless an app names their email address. Each address belongs to one single sign-on, by its domain.`}
    >
      <Panel title={t`Single sign-ons`}>
        <DataTable
          caption={t`Where people sign in`}
          headings={[t`Name`, t`Issuer`, t`Email domains`, t`People so far`]}
          rows={props.ssos.map(({ path, label, issuer, domains, people }) => [
            <a href={path}>
              <bdi>{label}</bdi>
            </a>,
            <code class="word">{issuer}</code>,
            domains.join(", "),
            String(people),
          ])}
          empty={t`None.`}
        />
        {props.hasRoom ? <AnotherLink /> : null}
      </Panel>
      <RefusedSignIns refused={props.refused} />
    </ConsoleLayout>
  );
}
