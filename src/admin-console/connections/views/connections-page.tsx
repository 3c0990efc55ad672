import type { Explanation } from "#connection-attempts/advice.ts";
import { Badge, ConsoleLayout, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { sentence, TextField } from "#pages/views/fields.tsx";
import { wordsOf } from "#pages/views/reason-words.ts";
import { known, t } from "#pages/views/console-frame.ts";

export interface ConnectionsPageProps {
  /** What was searched for. */
  readonly find: string;
  readonly attempts: readonly (Explanation & {
    /** Its name; `undefined` if nothing is known about it. */
    readonly app: string | undefined;
    /** How this host behaves differently from others. */
    readonly quirk: string | undefined;
    readonly clientId: string | null;
    readonly network: string | null;
    readonly person: string | undefined;
  })[];
  /** What the audit says about what was searched for. */
  readonly entries: readonly {
    readonly at: number;
    readonly who: string;
    readonly sentence: string;
    /** What to do about a refusal, if it is one that an administrator can change. */
    readonly fix: string;
  }[];
}

/** Recent connection attempts: each with what came of it, what to do, and its steps; and what else is known about what was searched for. */
export function ConnectionsPage({ find, attempts, entries }: ConnectionsPageProps) {
  return (
    <ConsoleLayout
      title={t`Connections`}
      lead={t`How apps connected in the last seven days, and why attempts failed. Newest first.`}
    >
      <form method="get" action="/admin/connections" class="toolbar" role="search">
        <TextField
          name="find"
          label={t`Request id, person’s email, client id or app`}
          type="search"
          state={{ values: { find }, errors: {} }}
        />
        <button type="submit">{t`Search`}</button>
      </form>
      {attempts.length === 0 ? <p class="empty">{t`No matching connection attempts.`}</p> : null}
      <ul class="attempts">
        {attempts.map(({ app, quirk, clientId, network, person, steps, status, advice }) => (
          <li class="panel">
            <details open={find !== ""}>
              <summary>
                <Status status={status} />
                <h2>{app ?? t`Unknown app`}</h2>
                <span class="lead">{[person, network && t`from ${network}`].filter(Boolean).join(" · ")}</span>
                <Moment at={steps[0]?.at ?? null} />
              </summary>
              {clientId === null ? (
                <p class="hint">{t`It sent no client id: an app that has not registered yet, a health check, or the command “doctor”.`}</p>
              ) : (
                <p>{t`Client id: ${<code class="id">{clientId}</code>}`}</p>
              )}
              {quirk === undefined ? null : <p class="hint">{t`About this app: ${known(quirk)}`}</p>}
              <ul class="findings">
                {steps.map(({ label, at, requestId, reason, cause }) => (
                  <li>
                    <Badge tone={reason === null ? "good" : "bad"}>{reason === null ? t`Done` : t`Failed`}</Badge>
                    <div>
                      <strong>{known(label)}</strong> <Moment at={at} />
                      {cause === null ? null : <p class="remedy">{sentence(known(cause))}</p>}
                      {requestId === undefined ? null : (
                        <p>{t`${
                          reason === null ? null : (
                            <>
                              <code class="word">{reason}</code>
                              {" · "}
                            </>
                          )
                        }Request id: ${<code>{requestId}</code>}`}</p>
                      )}
                    </div>
                  </li>
                ))}
              </ul>
            </details>
            {advice === "" ? null : (
              <p>
                <strong>{status.is === "unfinished" ? t`Waiting:` : t`Fix:`}</strong> {known(advice)}
              </p>
            )}
          </li>
        ))}
      </ul>
      {entries.length === 0 ? null : (
        <Panel
          title={t`In the audit log`}
          lead={<a href={`/admin/audit?${new URLSearchParams({ search: find }).toString()}`}>{t`All entries`}</a>}
        >
          <DataTable
            caption={t`Audit entries about what was searched for`}
            headings={[t`When`, t`What`, t`Fix`]}
            rows={entries.map(({ at, who, sentence: what, fix }) => [
              <Moment at={at} />,
              <>
                <bdi>{who}</bdi> <bdi>{known(what)}</bdi>
              </>,
              known(fix),
            ])}
            empty={t`None.`}
          />
        </Panel>
      )}
    </ConsoleLayout>
  );
}

/** What came of an attempt, in a word. */
function Status({ status }: { readonly status: Explanation["status"] }) {
  switch (status.is) {
    case "connected":
      return <Badge tone="good">{t`Connected`}</Badge>;
    case "waiting":
      return <Badge tone="warn">{t`Waiting for approval`}</Badge>;
    case "refused":
      return <Badge tone="bad">{t`Refused: ${known(wordsOf(status.reason))}`}</Badge>;
    case "unfinished":
    default:
      return <Badge tone="off">{t`Not finished: ${known(status.after)}`}</Badge>;
  }
}
