import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout } from "#pages/views/layout.tsx";
import { sentence } from "#pages/views/sentence.ts";

export interface ReturnPageProps {
  readonly service: string;
  readonly brand: Brand;
  /** What happened. */
  readonly message: string;
  /** The host that the app asks to go back to. */
  readonly destination: string;
  /** Where the app hears of it. */
  readonly target: string;
  readonly requestId: string;
}

/** Asks before a browser goes on to an app that nobody has verified and that this person has not allowed. */
export function ReturnPage({ service, brand, message, destination, target, requestId }: ReturnPageProps) {
  return (
    <Layout title="We can’t continue with this request" service={service} brand={brand}>
      <h1>We can’t continue with this request</h1>
      <p class="lead">{sentence(message)}</p>
      <div class="notice">
        <p>
          <strong>Not verified.</strong> The app asks to send you to <bdi>{destination}</bdi>. {brand.organisation} has
          not checked who runs it. Go there only if you came from there.
        </p>
      </div>
      <div class="actions">
        <a class="button" href={target} rel="noreferrer noopener">
          Go back to <bdi>{destination}</bdi>
        </a>
      </div>
      <p class="quiet">
        Request id: <code>{requestId}</code>
      </p>
    </Layout>
  );
}
