import { later, type Question } from "#pages/views/asking-page.tsx";
import { Badge, ConsoleLayout, DangerButton, Facts, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#messages/catalogue.ts";
import { Form, MemberFields, SubmitRow } from "#pages/views/form.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";
import { t } from "#pages/views/console-frame.ts";

export interface OAuthPageProps {
  readonly isEnabled: boolean;
  readonly issuer: string;
  /** The URL that people add to assistants and editors. */
  readonly mcpUrl: string;
  /** The people and apps that lose access if OAuth is turned off. */
  readonly reach: { readonly people: number; readonly clients: number };
  readonly fields: Fields;
  readonly lifetimes: FormState;
}

/** Whether the authorization server is on, and the lifetimes of its tokens and grants. */
export function OAuthPage({ isEnabled, issuer, mcpUrl, reach, fields, lifetimes }: OAuthPageProps) {
  return (
    <ConsoleLayout title={t`OAuth`} lead={t`Apps search on behalf of people who have allowed it.`}>
      <Panel title={t`Authorization server`}>
        <p>
          {isEnabled ? <Badge tone="good">{t`On`}</Badge> : <Badge tone="off">{t`Off`}</Badge>}{" "}
          {isEnabled
            ? t`People can allow apps to search for them.`
            : t`No app can sign people in. Service-issued tokens and identity providers’ tokens keep working.`}
        </p>
        {isEnabled ? (
          <Facts
            facts={[
              [t`URL for assistants`, <code>{mcpUrl}</code>],
              [t`Issuer, for other apps`, <code>{issuer}</code>],
            ]}
          />
        ) : null}
        {isEnabled ? (
          <p>
            <DangerButton href="/admin/oauth/disable">{t`Turn off…`}</DangerButton>
          </p>
        ) : (
          <Form action="/admin/oauth/enable">
            <SubmitRow button={t`Turn on`} />
          </Form>
        )}
        {isEnabled ? (
          <p class="hint">{t`${counted(reach.people, "person uses", "people use")} ${counted(reach.clients, "app")} through it.`}</p>
        ) : null}
      </Panel>
      <Panel title={t`Lifetimes`} lead={t`These apply to new tokens and grants. Existing ones don’t change.`}>
        <Form action="/admin/oauth" state={lifetimes}>
          <MemberFields fields={fields} state={lifetimes} />
          <SubmitRow button={t`Save`} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

/** Asks before the authorization server is turned off. */
export function disableOAuthQuestion({ clients, people }: OAuthPageProps["reach"]): Question {
  return {
    title: "Turn OAuth off?",
    words: [
      later(
        () =>
          t`Within 10 seconds the tokens of ${counted(clients, "app")} stop working for ${counted(people, "person", "people")}.`,
      ),
      "No app can register or sign people in.",
      "Nothing is deleted. If you turn it on again, tokens that haven’t expired work again.",
    ],
  };
}
