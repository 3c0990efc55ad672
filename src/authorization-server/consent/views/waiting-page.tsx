import { partsOf, textOf } from "#messages/locale.ts";
import { Layout, PostForm, SupportLink } from "#pages/views/layout.tsx";
import { type AskingProps, Person } from "./consent-page.tsx";
import { SubmitRow } from "#pages/views/form.tsx";

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

/** Tells a person that the organisation does not let them use an app, who decides that, and how to continue. */
export function LeftOutPage(props: AskingProps) {
  const { locale, brand } = props;
  const { messages } = locale;
  const app = <bdi>{props.clientName}</bdi>;
  return (
    <Layout title={textOf(locale, "left_out_title", { app: props.clientName })} brand={brand} locale={locale}>
      <h1>{partsOf(locale, "left_out_title", { app })}</h1>
      <p>{textOf(locale, "left_out_why", { organisation: brand.organisation })}</p>
      <p>
        {brand.supportContact === undefined
          ? messages.left_out_administrator
          : partsOf(locale, "left_out_contact", { contact: <SupportLink contact={brand.supportContact} /> })}
      </p>
      <Person {...props} />
      <PostForm action={props.action} csrfToken={props.csrfToken}>
        <input type="hidden" name="request" value={props.handle} />
        <p class="quiet">
          {messages.consent_destination} <bdi>{props.destination}</bdi>
        </p>
        <SubmitRow button={messages.left_out_back} sends={{ name: "decision", value: "deny" }} />
      </PostForm>
    </Layout>
  );
}
