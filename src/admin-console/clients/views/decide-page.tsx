import type { AppShown } from "#admin-console/clients/app-shown.ts";
import type { BulkDecision } from "#administration/client-acts.ts";
import { cutOff, type Question } from "#pages/views/asking-page.tsx";
import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";

interface Deciding {
  readonly decision: "disable" | "delete";
  readonly apps: readonly AppShown[];
  /** The posted selection, which the confirmation sends again. */
  readonly chosen: readonly string[];
  /** The people and grants that lose access, by app. */
  readonly reach: ReadonlyMap<string, { readonly people: number; readonly grants: number }>;
}

const DONE: Readonly<Record<BulkDecision, string>> = {
  approve: "approved",
  disable: "disabled",
  enable: "enabled",
  delete: "deleted",
};

/** Asks before several apps are disabled or deleted. */
export function decideQuestion({ decision, apps, chosen, reach }: Deciding): Question {
  const button = `${decision === "disable" ? "Disable" : "Delete"} ${counted(apps.length, "app")}`;
  return {
    title: `${button}?`,
    button,
    fields: { decision, app: chosen, confirmed: "yes" },
    more: (
      <>
        {apps.map((app) => (
          <div>
            <strong>
              <bdi>{app.name}</bdi>
            </strong>
            <ul>
              <li>{cutOff(reach.get(app.id) ?? { people: 0, grants: 0 })}</li>
            </ul>
          </div>
        ))}
        <p class="hint">
          {decision === "disable"
            ? "They stay in the list. You can enable them again, with their grants."
            : "You can’t undo this. Apps that registered themselves can register again."}
        </p>
      </>
    ),
  };
}

/** Lists the apps that a decision about several apps left unchanged. */
export function PartlyDecidedPage(props: {
  readonly decision: BulkDecision;
  readonly left: readonly AppShown[];
  /** How many apps the decision changed. */
  readonly changed: number;
}) {
  const { decision, left, changed } = props;
  return (
    <ConsoleLayout
      title={`${changed} of ${counted(changed + left.length, "app")} ${DONE[decision]}`}
      lead={<a href="/admin/clients">All apps</a>}
    >
      <Panel
        title={`Not ${DONE[decision]}`}
        lead="It doesn’t apply to these apps, or they have changed since you selected them. Review them and decide again."
      >
        <ul>
          {left.map((app) => (
            <li>
              <a href={app.path}>
                <bdi>{app.name}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </Panel>
    </ConsoleLayout>
  );
}
