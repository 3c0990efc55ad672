import { Badge, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { LinesField, type Option, SelectField, sentence, Switch } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { Steps } from "#pages/views/steps.tsx";
import type { FormState } from "#platform/described-members.ts";
import { known, t } from "#pages/views/console-frame.ts";
import type { TokenExplanation } from "#resource-server/authentication/token-explanation.ts";

export interface TestTokenPageProps {
  readonly state: FormState;
  /** The header that announces an identity provider's token, with its value. */
  readonly header: string;
  readonly routes: readonly Option[];
  readonly explanation: TokenExplanation | undefined;
}

const outcomes = () =>
  ({
    holds: { tone: "good", word: t`Passed` },
    fails: { tone: "warn", word: t`Failed` },
    open: { tone: "off", word: t`Skipped` },
  }) as const;

/** The form to test a token, and the result: whether a call with it is accepted, and why. */
export function TestTokenPage({ state, header, routes, explanation }: TestTokenPageProps) {
  return (
    <ConsoleLayout
      title={t`Test a token`}
      lead={t`See step by step how the Client API checks any token: an identity provider’s, an app’s or a service-issued one.`}
    >
      {explanation ? <Answer explanation={explanation} /> : null}
      <Panel title={explanation ? t`Another token` : t`Token`}>
        <Form action="/admin/token-test" state={state}>
          <LinesField
            name="token"
            label={t`Token`}
            rows={5}
            state={state}
            hint={t`The token is checked, but not stored or logged.`}
          />
          <Switch
            name="announced"
            label={t`Send the header ${header}`}
            state={state}
            hint={t`Only tokens of identity providers need it. Other tokens work with and without it.`}
          />
          <SelectField name="route" label={t`Call`} options={routes} state={state} />
          <SubmitRow button={t`Test`} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function Answer({ explanation }: { readonly explanation: TokenExplanation }) {
  const { status, code, message, steps, decoded } = explanation;
  return (
    <>
      <Panel title={t`Result`}>
        <p role="status">
          <Badge tone={code === undefined ? "good" : "warn"}>{code === undefined ? t`Accepted` : t`Refused`}</Badge>{" "}
          <code class="word">{code === undefined ? status : `${status} ${code}`}</code>
        </p>
        <p>{sentence(known(message))}</p>
        <Steps steps={steps} outcomes={outcomes()} />
      </Panel>
      {decoded ? (
        <Panel
          title={t`Contents of the token`}
          lead={t`Anybody can write these claims; only the checks above verify them.`}
        >
          <h3>{t`Header`}</h3>
          <pre class="decoded" tabindex={0}>
            {JSON.stringify(decoded.header, null, 2)}
          </pre>
          <h3>{t`Payload`}</h3>
          <pre class="decoded" tabindex={0}>
            {JSON.stringify(decoded.payload, null, 2)}
          </pre>
        </Panel>
      ) : null}
    </>
  );
}
