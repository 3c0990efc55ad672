import type { Explanation } from "#connection-attempts/advice.ts";
import { Badge, ConsoleLayout, Moment, Panel } from "#pages/views/console-layout.tsx";
import { TextField } from "#pages/views/fields.tsx";
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
}

/** Recent connection attempts: each with its steps, why it stopped, and what to do. */
export function ConnectionsPage({ find, attempts }: ConnectionsPageProps) {
  return (
    <ConsoleLayout
      title="Connections"
      lead="How apps connected in the last seven days, and why attempts failed. Newest first."
    >
      <form method="get" action="/admin/connections" class="toolbar" role="search">
        <TextField
          name="find"
          label="Request id, client id or app"
          type="search"
          state={{ values: { find }, errors: {} }}
        />
        <button type="submit">Search</button>
      </form>
      {attempts.length === 0 ? <p class="empty">No matching connection attempts.</p> : null}
      {attempts.map(({ app, quirk, clientId, network, person, steps, hasFailed, advice }) => (
        <Panel title={app} lead={[person, network && `from ${network}`].filter(Boolean).join(" · ")}>
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
              <strong>{hasFailed ? "Fix: " : "Waiting: "}</strong>
              {advice}
            </p>
          )}
          {quirk === undefined ? null : <p class="hint">About this app: {quirk}</p>}
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
        </Panel>
      ))}
    </ConsoleLayout>
  );
}
