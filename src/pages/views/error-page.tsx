import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout, SupportLink } from "./layout.tsx";
import { sentence } from "./sentence.ts";

export interface ErrorPageProps {
  readonly service: string;
  readonly brand?: Brand | undefined;
  readonly title: string;
  /** What happened and what to do. */
  readonly message: string;
  readonly requestId: string;
  /** The person was connecting an app: what they do next, and where an administrator finds what happened. */
  readonly isStep?: boolean;
  /** The private reason; given in local development alone. */
  readonly reason?: string | undefined;
}

/** A page for a person whom something stopped: what it was, what to do, and what to quote to support. */
export function ErrorPage({ service, brand, title, message, requestId, isStep, reason }: ErrorPageProps) {
  return (
    <Layout title={title} service={service} brand={brand}>
      <h1>{title}</h1>
      <p class="lead">{sentence(message)}</p>
      {isStep ? (
        <p>
          Close this page, go back to your app and connect again. If you see this page again, send the request id to
          your administrator, who can look it up under <a href={`/admin/connections?find=${requestId}`}>Connections</a>.
        </p>
      ) : null}
      <dl class="facts">
        {brand?.supportContact === undefined ? null : (
          <div>
            <dt>Contact (include the request id)</dt>
            <dd>
              <SupportLink contact={brand.supportContact} />
            </dd>
          </div>
        )}
        <div>
          <dt>Request id</dt>
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
