import { partsOf, textOf } from "#messages/locale.ts";
import { SubmitRow } from "#pages/views/form.tsx";
import { Layout, SupportLink } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";
import { type AskingProps, Person } from "./consent-page.tsx";

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
