import type { Explanation } from "#connection-attempts/advice.ts";
import { Badge, ConsoleLayout, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { TextField } from "#pages/views/fields.tsx";
import { counted } from "#pages/views/count.ts";
import { wordsOf } from "#pages/views/reason-words.ts";
import { sentence } from "#pages/views/sentence.ts";

export interface ConnectionsPageProps {
  /** What was searched for. */
  readonly find: string;
  readonly attempts: readonly (Explanation & {
    readonly app: string;
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
      title="Connections"
      lead="How apps connected in the last seven days, and why attempts failed. Newest first."
    >
      <form method="get" action="/admin/connections" class="toolbar" role="search">
        <TextField
          name="find"
          label="Request id, person’s email, client id or app"
          type="search"
          state={{ values: { find }, errors: {} }}
        />
        <button type="submit">Search</button>
      </form>
      {attempts.length === 0 ? <p class="empty">No matching connection attempts.</p> : null}
      {attempts.map(({ app, quirk, clientId, network, person, steps, status, advice }) => (
        <Panel title={app} lead={[person, network && `from ${network}`].filter(Boolean).join(" · ")}>
          <Status status={status} />
          {clientId === null ? (
            <p class="hint">
              It sent no client id: an app that has not registered yet, a health check, or the command “doctor”.
            </p>
          ) : (
            <p>
              Client id: <code class="id">{clientId}</code>
            </p>
          )}
          {advice === "" ? null : (
            <p class="notice">
              <strong>{status.is === "unfinished" ? "Waiting: " : "Fix: "}</strong>
              {advice}
            </p>
          )}
          {quirk === undefined ? null : <p class="hint">About this app: {quirk}</p>}
          <details open={find !== ""}>
            <summary>{counted(steps.length, "step")}</summary>
            <ul class="findings">
              {steps.map(({ label, at, requestId, reason, cause }) => (
                <li>
                  <Badge tone={reason === null ? "good" : "bad"}>{reason === null ? "Done" : "Failed"}</Badge>
                  <div>
                    <strong>{label}</strong> <Moment at={at} />
                    {cause === null ? null : <p class="remedy">{sentence(cause)}</p>}
                    {requestId === undefined ? null : (
                      <p>
                        {reason === null ? null : (
                          <>
                            <code class="word">{reason}</code>
                            {" · "}
                          </>
                        )}
                        Request id: <code>{requestId}</code>
                      </p>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          </details>
        </Panel>
      ))}
      {entries.length === 0 ? null : (
        <Panel
          title="In the audit log"
          lead={<a href={`/admin/audit?${new URLSearchParams({ search: find }).toString()}`}>All entries</a>}
        >
          <DataTable
            caption="Audit entries about what was searched for"
            headings={["When", "What", "Fix"]}
            rows={entries.map(({ at, who, sentence: what, fix }) => [
              <Moment at={at} />,
              <>
                <bdi>{who}</bdi> <bdi>{what}</bdi>
              </>,
              fix,
            ])}
            empty="None."
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
      return <Badge tone="good">Connected</Badge>;
    case "waiting":
      return <Badge tone="warn">Waiting for approval</Badge>;
    case "refused":
      return <Badge tone="bad">Refused: {wordsOf(status.reason)}</Badge>;
    case "unfinished":
    default:
      return <Badge tone="off">Not finished: {status.after}</Badge>;
  }
}
