import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, partsOf, type RefusalText } from "#messages/locale.ts";
import { Layout, SupportLink } from "./layout.tsx";
import { RefusalLead } from "./refusal-lead.tsx";

export interface ErrorPageProps {
  readonly brand?: Brand | undefined;
  readonly locale: Locale;
  readonly status: number;
  readonly refusal: RefusalText;
  readonly requestId: string;
  /** What to do next, for a person who was connecting an app, and where an administrator sees what happened. */
  readonly advice?: "refusal_step" | "refusal_administrator" | undefined;
  /** Links to other pages, of which the first is the button. */
  readonly otherWays?: readonly (readonly [path: string, label: string])[];
  /** The private reason; only in local development. */
  readonly reason?: string | undefined;
}

/** An error page: what happened, what to do, and what to quote to support. */
export function ErrorPage({
  brand,
  locale,
  status,
  refusal,
  requestId,
  advice,
  otherWays = [],
  reason,
}: ErrorPageProps) {
  const { messages } = locale;
  const [first, ...others] = otherWays;
  const title =
    status >= 500
      ? messages.refusal_title_failure
      : status === 404
        ? messages.refusal_title_not_found
        : messages.refusal_title;
  return (
    <Layout title={title} brand={brand} locale={locale}>
      <h1>{title}</h1>
      <RefusalLead {...refusal} />
      {advice === undefined ? null : (
        <p>
          {partsOf(locale, advice, {
            connections: <a href={`/admin/connections?find=${requestId}`}>{messages.console_connections}</a>,
          })}
        </p>
      )}
      {first === undefined ? null : (
        <p class="actions">
          <a class="button primary" href={first[0]}>
            {first[1]}
          </a>
        </p>
      )}
      {others.length === 0 ? null : (
        <ul class="links">
          {others.map(([path, label]) => (
            <li>
              <a href={path}>{label}</a>
            </li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {brand?.supportContact === undefined ? null : (
          <div>
            <dt>{messages.refusal_contact}</dt>
            <dd>
              <SupportLink contact={brand.supportContact} />
            </dd>
          </div>
        )}
        <div>
          <dt>{messages.request_id}</dt>
          <dd>
            <code>{requestId}</code>
          </dd>
        </div>
        {reason ? (
          <div>
            <dt>{messages.refusal_reason}</dt>
            <dd>
              <code>{reason}</code>
            </dd>
          </div>
        ) : null}
      </dl>
    </Layout>
  );
}
