import { partsOf, textOf } from "#messages/locale.ts";
import { Layout } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";
import { type AskingProps, Person } from "./consent-page.tsx";

interface WaitingPageProps extends AskingProps {
  /** Whether this person has asked for the app. */
  readonly hasAsked: boolean;
  readonly reasonCharactersMax: number;
}

/** Tells a person that an app waits for approval, lets them ask for it, and says how they learn of the decision. */
export function WaitingPage(props: WaitingPageProps) {
  const { locale, brand, hasAsked } = props;
  const { messages } = locale;
  const app = <bdi>{props.clientName}</bdi>;
  return (
    <Layout title={textOf(locale, "waiting_title", { app: props.clientName })} brand={brand} locale={locale}>
      <h1>{partsOf(locale, "waiting_title", { app })}</h1>
      <p>{textOf(locale, "waiting_why", { organisation: brand.organisation })}</p>
      <PostForm action={props.action} csrfToken={props.csrfToken}>
        <input type="hidden" name="request" value={props.handle} />
        {hasAsked ? (
          <p class="notice" role="status">
            {messages.waiting_asked} {messages.waiting_next}
          </p>
        ) : (
          <div class="field">
            <label for="reason">{messages.waiting_reason}</label>
            <input id="reason" name="reason" maxlength={props.reasonCharactersMax} />
          </div>
        )}
        <Person {...props} />
        <p class="quiet">
          {messages.consent_destination} <bdi>{props.destination}</bdi>
        </p>
        <div class="actions">
          <button type="submit" name="decision" value="deny">
            {messages.left_out_back}
          </button>
          {hasAsked ? null : (
            <button type="submit" name="decision" value="ask" class="primary">
              {messages.waiting_ask}
            </button>
          )}
        </div>
      </PostForm>
    </Layout>
  );
}
