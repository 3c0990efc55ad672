import type { Finding } from "#platform/finding.ts";
import { ActLink, Badge, ConsoleLayout, Facts, Panel } from "#pages/views/console-layout.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { MemberFields } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import type { IssuerShown } from "./issuers-page.tsx";

export interface IssuerPageProps {
  readonly issuer: IssuerShown;
  /** The result of fetching its keys; `undefined` if they were not fetched. */
  readonly keys: readonly Finding[] | undefined;
  /** Whether an administrator vouches for its email addresses. */
  readonly vouches: boolean;
  readonly isForAnyAudience: boolean;
  readonly fields: Fields;
  readonly state: FormState;
}

/** One provider: its state, whether its keys can be fetched, its settings, and how to disable or remove it. */
export function IssuerPage(props: IssuerPageProps) {
  const { issuer, keys, state } = props;
  return (
    <ConsoleLayout title={issuer.name}>
      <Panel title="State">
        <Facts
          facts={[
            ["Issuer", <code>{issuer.issuer}</code>],
            [
              "Tokens",
              <Badge tone={issuer.isDisabled ? "off" : "good"}>{issuer.isDisabled ? "Refused" : "Accepted"}</Badge>,
            ],
          ]}
        />
        {props.vouches ? (
          <p class="notice warning">
            An administrator vouches for every email address of this provider. Anybody there, including guests, who can
            set an unverified address can see what its owner may see.
          </p>
        ) : null}
        {props.isForAnyAudience ? (
          <p class="notice warning">
            No audience is set. Tokens that these applications got for other services are accepted too, and those
            services could use them here.
          </p>
        ) : null}
        {(keys ?? []).map(({ verdict, meaning, remedy }) => (
          <p class={verdict === "ok" ? "" : "notice warning"}>
            {meaning} {remedy}
          </p>
        ))}
        <div class="actions">
          <a class="button" href={`/admin/issuers/issuer?${issuer.query}&check=1`}>
            Check its keys
          </a>
          <a class="button" href="/admin/token-test">
            Test a token
          </a>
        </div>
      </Panel>
      <Panel title="Settings">
        <Form action="/admin/issuers/issuer" state={state}>
          <input type="hidden" name="issuer" value={issuer.issuer} />
          <MemberFields fields={props.fields} state={state} />
          <SubmitRow button="Save" />
        </Form>
      </Panel>
      <Panel isDangerous title="Disable or remove">
        {issuer.isDisabled ? (
          <Form action="/admin/issuers/enable">
            <input type="hidden" name="issuer" value={issuer.issuer} />
            <div class="actions">
              <button type="submit">Enable</button>
              <ActLink class="button danger" href={`/admin/issuers/remove?${issuer.query}`}>
                Remove…
              </ActLink>
            </div>
          </Form>
        ) : (
          <div class="actions">
            <ActLink class="button danger" href={`/admin/issuers/disable?${issuer.query}`}>
              Disable…
            </ActLink>
            <ActLink class="button danger" href={`/admin/issuers/remove?${issuer.query}`}>
              Remove…
            </ActLink>
          </div>
        )}
      </Panel>
    </ConsoleLayout>
  );
}
