import { Layout } from "./layout.tsx";

export interface ErrorPageProps {
  readonly service: string;
  readonly organisation?: string | undefined;
  readonly title: string;
  /** What happened and what to do. */
  readonly message: string;
  readonly requestId: string;
  /** The private reason; given in local development alone. */
  readonly reason?: string | undefined;
}

/** A page for a person whom something stopped: what it was, what to do, and what to quote to support. */
export function ErrorPage({ service, organisation, title, message, requestId, reason }: ErrorPageProps) {
  return (
    <Layout title={title} service={service} organisation={organisation}>
      <h1>{title}</h1>
      <p class="lead">{sentence(message)}</p>
      <dl class="facts">
        <div>
          <dt>For your administrator: request id</dt>
          <dd>
            <code>{requestId}</code>
          </dd>
        </div>
        {reason ? (
          <div>
            <dt>Reason, in local development only</dt>
            <dd>
              <code>{reason}</code>
            </dd>
          </div>
        ) : null}
      </dl>
    </Layout>
  );
}

/** Messages are written for JSON, where they end without a full stop. */
function sentence(message: string): string {
  return /[.?!]$/.test(message) ? message : `${message}.`;
}
