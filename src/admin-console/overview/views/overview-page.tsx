import { Badge, ConsoleLayout, DataTable, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import type { Decisions } from "#doctor/decisions.ts";
import type { Settings } from "#settings/settings.ts";
import type { Reach } from "#grants/grants.ts";
import type { Usage } from "#usage/usage.ts";
import type { Failure } from "#usage/usage.d1.ts";
import { counted } from "#messages/catalogue.ts";
import { known, t } from "#pages/views/console-frame.ts";
import { grouped } from "#pages/views/count.ts";
import { Chart } from "./chart.tsx";
import { wordsOf } from "#pages/views/reason-words.ts";

export interface OverviewPageProps {
  readonly issuer: string;
  readonly isEnabled: boolean;
  readonly isSignInConnected: boolean;
  readonly registration: Settings["registration"];
  readonly reach: Reach;
  readonly usage: Omit<Awaited<ReturnType<Usage["overview"]>>, "failures"> & {
    /** `isStep`: whether the Connections page has the request. */
    readonly failures: readonly (Failure & { readonly isStep: boolean })[];
  };
  readonly hasDocuments: boolean;
  /** How many days the charts show, and the ranges to choose from. */
  readonly days: number;
  readonly ranges: readonly number[];
  readonly decisions: Decisions;
}

const registrations = (): Readonly<Record<Settings["registration"], string>> => ({
  open: t`Any app can register`,
  approved: t`Only approved apps can register`,
  approval: t`Apps register and wait for approval`,
  off: t`Only administrators create clients`,
});

/** The most reasons in the table. The log has the others. */
const REASONS_SHOWN = 12;

/** What is left to do until people get answers, what needs attention, the instance's state, its usage, and recent problems. */
export function OverviewPage(props: OverviewPageProps) {
  const { issuer, isEnabled, isSignInConnected, registration, reach, usage, days, ranges, decisions } = props;
  const charted = usage.days.slice(-days);
  const tokens = usage.days.reduce((sum, day) => sum + day.tokens, 0);
  const refusals = usage.days.reduce((sum, day) => sum + day.refusals, 0);
  return (
    <ConsoleLayout title={t`Overview`}>
      <Checklist {...props} />
      <Waiting decisions={decisions} />
      {reach.people + tokens + refusals === 0 ? null : (
        <dl class="figures">
          <Figure label={t`People with connected apps`} value={reach.people} />
          <Figure label={t`Apps in use`} value={reach.clients} />
          <Figure label={t`Tokens issued, 30 days`} value={tokens} />
          <Figure label={t`Requests refused, 30 days`} value={refusals} />
        </dl>
      )}
      <Panel title={t`State`}>
        <Facts
          facts={[
            [
              t`OAuth for apps`,
              <>
                <Badge tone={isEnabled ? "good" : "off"}>{isEnabled ? t`On` : t`Off`}</Badge>{" "}
                <a href="/admin/oauth">{isEnabled ? t`Lifetimes and settings` : t`Turn it on`}</a>
              </>,
            ],
            [
              t`Single sign-on`,
              <>
                <Badge tone={isSignInConnected ? "good" : "warn"}>
                  {isSignInConnected ? t`Connected` : t`Missing`}
                </Badge>{" "}
                <a href="/admin/single-sign-on">{t`Connection`}</a>
              </>,
            ],
            [t`Registration`, <a href="/admin/registration">{registrations()[registration]}</a>],
            [t`URL for assistants`, <code>{`${issuer}/mcp`}</code>],
          ]}
        />
      </Panel>
      {tokens + refusals === 0 ? null : (
        <nav class="toolbar" aria-label={t`Range of the charts`}>
          {ranges.map((range) => (
            <a
              class="button"
              href={`/admin?days=${range}`}
              aria-current={range === days ? "true" : undefined}
            >{t`${range} days`}</a>
          ))}
        </nav>
      )}
      <div class="side-by-side">
        {tokens === 0 ? null : (
          <Panel title={t`Tokens issued by day`}>
            <Chart values={charted.map(({ at, tokens: value }) => ({ at, value }))} what={t`tokens`} />
          </Panel>
        )}
        {refusals === 0 ? null : (
          <Panel title={t`Requests refused by day`}>
            <Chart values={charted.map(({ at, refusals: value }) => ({ at, value }))} what={t`refusals`} />
          </Panel>
        )}
        {refusals === 0 ? null : (
          <Panel title={t`Why requests were refused`} lead={t`In the last 30 days.`}>
            <DataTable
              caption={t`Refusals of the last 30 days by reason`}
              headings={[t`Reason`, t`Requests`]}
              rows={usage.refusals
                .slice(0, REASONS_SHOWN)
                .map(({ reason, count }) => [known(wordsOf(reason)), grouped(count)])}
              empty=""
            />
          </Panel>
        )}
        {usage.failures.length === 0 ? null : (
          <Panel title={t`Recent errors`} lead={t`Requests that failed on our side. The log has more about each id.`}>
            <DataTable
              caption={t`Recent errors`}
              headings={[t`When`, t`Reason`, t`Path`, t`Request id`]}
              rows={usage.failures.map(({ at, requestId, path, reason, isStep }) => [
                <Moment at={at} />,
                known(wordsOf(reason)),
                <code class="word">{path}</code>,
                isStep ? (
                  <a href={`/admin/connections?find=${requestId}`}>
                    <code class="word">{requestId}</code>
                  </a>
                ) : (
                  <code>{requestId}</code>
                ),
              ])}
              empty=""
            />
          </Panel>
        )}
      </div>
      {tokens + refusals === 0 ? null : (
        <p class="hint">{t`Counts are written once a minute and may miss a few. Days are in UTC.`}</p>
      )}
    </ConsoleLayout>
  );
}

/** The steps until people get answers. It disappears when an app is connected, because that is the last step before a question. */
function Checklist({ isSignInConnected, isEnabled, hasDocuments, reach }: OverviewPageProps) {
  const steps = [
    [isSignInConnected, "/admin/single-sign-on", t`Connect your single sign-on`, t`People sign in with it.`],
    [isEnabled, "/admin/oauth", t`Turn OAuth on`, t`Apps can then ask people for access.`],
    [hasDocuments, "/admin/tokens/new", t`Push documents`, t`Create a token for the pipeline that sends them.`],
    [reach.clients > 0, "/", t`Connect an app`, t`Add the URL for assistants to one, and sign in.`],
    [false, "/search", t`Ask a question`, t`In the app, or on the search page.`],
  ] as const;
  if (steps.slice(0, -1).every(([isDone]) => isDone)) return null;
  return (
    <Panel title={t`Until the first answer`}>
      <ol class="checklist">
        {steps.map(([isDone, href, title, words]) => (
          <li class={isDone ? "done" : undefined}>
            <a href={href}>{title}</a>{" "}
            {isDone ? <Badge tone="good">{t`Done`}</Badge> : <span class="quiet">{words}</span>}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** What needs attention, each with a link to the page to act on it. */
function Waiting({ decisions }: { readonly decisions: Decisions }) {
  const { appsWaiting, tokensExpiring, held, isKeyOverdue, haveRefusalsRisen } = decisions;
  const [first] = tokensExpiring;
  const isNothing = appsWaiting === 0 && first === undefined && held.length === 0;
  if (isNothing && !isKeyOverdue && !haveRefusalsRisen) return null;
  return (
    <Panel title={t`Needs your attention`}>
      <ul>
        {appsWaiting === 0 ? null : (
          <li>
            <a href="/admin/clients?state=waiting">{t`${counted(appsWaiting, "app waits", "apps wait")} for approval`}</a>
          </li>
        )}
        {first === undefined ? null : (
          <li>
            <a href="/admin/tokens?sort=expiresAt">{t`${counted(tokensExpiring.length, "token expires", "tokens expire")} within 14 days`}</a>
            : {tokensExpiring.length === 1 ? null : t`the first is`} <bdi>{first.name}</bdi>,{" "}
            <Moment at={first.expiresAt} />
          </li>
        )}
        {held.map(({ datasource, kind, stale, total, heldUntil }) => (
          <li>{t`${<a href={`/admin/content/${datasource}`}>{t`An upload to ${<bdi>{datasource}</bdi>} would remove ${stale} of ${total} ${known(kind)}`}</a>} ${<Moment at={heldUntil} />}, unless you decide`}</li>
        ))}
        {isKeyOverdue ? (
          <li>{t`${<a href="/admin/keys">{t`The signing key is overdue for rotation`}</a>}: check the hourly maintenance in the ${<a href="/admin/doctor">{t`doctor`}</a>}`}</li>
        ) : null}
        {haveRefusalsRisen ? (
          <li>
            <a href="/admin/connections">{t`Refused requests more than doubled today`}</a>
          </li>
        ) : null}
      </ul>
    </Panel>
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
