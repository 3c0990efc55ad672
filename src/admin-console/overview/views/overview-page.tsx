import {
  Badge,
  type ConsoleFrame,
  ConsoleLayout,
  DataTable,
  Facts,
  Moment,
  Panel,
} from "#pages/views/console-layout.tsx";
import type { Settings } from "#settings/settings.ts";
import type { Reach } from "#grants/grant-directory.ts";
import type { Usage } from "#usage/usage.ts";
import { wordsOf } from "#pages/views/reason-words.ts";

export interface OverviewPageProps {
  readonly frame: ConsoleFrame;
  readonly issuer: string;
  readonly isEnabled: boolean;
  readonly isSignInConnected: boolean;
  readonly registration: Settings["registration"];
  readonly reach: Reach;
  readonly usage: Awaited<ReturnType<Usage["overview"]>>;
}

const REGISTRATION: Readonly<Record<Settings["registration"], string>> = {
  open: "Any app can register",
  approved: "Only approved apps can register",
  approval: "Apps register and wait for approval",
  off: "Only administrators create clients",
};

/** More reasons than these are the log's matter. */
const REASONS_SHOWN = 12;

/** Is it on, who uses it, and what goes wrong. */
export function OverviewPage({
  frame,
  issuer,
  isEnabled,
  isSignInConnected,
  registration,
  reach,
  usage,
}: OverviewPageProps) {
  const tokens = usage.days.reduce((sum, day) => sum + day.tokens, 0);
  const refusals = usage.days.reduce((sum, day) => sum + day.refusals, 0);
  return (
    <ConsoleLayout frame={frame} section="/admin" title="Overview">
      <dl class="figures">
        <Figure label="People with connected apps" value={reach.people} />
        <Figure label="Apps in use" value={reach.clients} />
        <Figure label="Tokens issued, 30 days" value={tokens} />
        <Figure label="Requests refused, 30 days" value={refusals} />
      </dl>
      <Panel title="State">
        <Facts
          facts={[
            [
              "OAuth for apps",
              <>
                <Badge tone={isEnabled ? "good" : "off"}>{isEnabled ? "On" : "Off"}</Badge>{" "}
                <a href="/admin/oauth">{isEnabled ? "Lifetimes and settings" : "Turn it on"}</a>
              </>,
            ],
            [
              "Single sign-on",
              <>
                <Badge tone={isSignInConnected ? "good" : "warn"}>{isSignInConnected ? "Connected" : "Missing"}</Badge>{" "}
                <a href="/admin/single-sign-on">Connection</a>
              </>,
            ],
            ["Registration", <a href="/admin/registration">{REGISTRATION[registration]}</a>],
            ["Address for apps", <code>{issuer}</code>],
          ]}
        />
      </Panel>
      <Panel title="Tokens issued by day">
        <Chart days={usage.days} kind="tokens" what="tokens" />
      </Panel>
      <Panel title="Requests refused by day">
        <Chart days={usage.days} kind="refusals" what="refusals" />
        <DataTable
          caption="Refusals of the last 30 days by reason"
          headings={["Reason", "Requests"]}
          rows={usage.refusals.slice(0, REASONS_SHOWN).map(({ reason, count }) => [wordsOf(reason), grouped(count)])}
          empty="No refused requests."
        />
      </Panel>
      <Panel
        title="Last errors"
        lead="Requests that failed because of a problem on our side. Look up the id in the log for details."
      >
        <DataTable
          caption="Last errors"
          headings={["When", "Request id", "Path", "Reason"]}
          rows={usage.failures.map((failure) => [
            <Moment at={failure.at} />,
            <code>{failure.requestId}</code>,
            <code>{failure.path}</code>,
            wordsOf(failure.reason),
          ])}
          empty="None."
        />
      </Panel>
      <p class="hint">Counts are written once a minute and may miss a few. Days are in UTC.</p>
    </ConsoleLayout>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: number }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{grouped(value)}</dd>
    </div>
  );
}

/** A bar a day. Who cannot see it hears the same as a sentence. */
function Chart(props: {
  readonly days: OverviewPageProps["usage"]["days"];
  readonly kind: "tokens" | "refusals";
  readonly what: string;
}) {
  const values = props.days.map((day) => day[props.kind]);
  const most = Math.max(...values, 1);
  const busiest = props.days.find((day) => day[props.kind] === most);
  const sentence = busiest
    ? `${grouped(values.at(-1) ?? 0)} ${props.what} today; most on ${dayOf(busiest.at)}: ${grouped(most)}.`
    : `No ${props.what} in the last ${props.days.length} days.`;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${props.days.length * 10} 40`} preserveAspectRatio="none" aria-hidden="true">
        {values.map((value, index) => {
          const height = value === 0 ? 0.6 : Math.max((value / most) * 40, 1.5);
          return <rect x={index * 10 + 1} y={40 - height} width={8} height={height} />;
        })}
      </svg>
      <figcaption class="hint">{sentence}</figcaption>
    </figure>
  );
}

function dayOf(at: number): string {
  return new Date(at * 1000).toISOString().slice(0, 10);
}

function grouped(value: number): string {
  return value.toLocaleString("en");
}
