import { Badge, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { LinesField, type Option, SelectField, Switch } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { sentence } from "#pages/views/sentence.ts";
import { Steps } from "#pages/views/steps.tsx";
import type { FormState } from "#platform/form-state.ts";
import type { TokenExplanation } from "#resource-server/authentication/token-explanation.ts";

export interface TestTokenPageProps {
  readonly state: FormState;
  /** The header that announces an identity provider's token, with its value. */
  readonly header: string;
  readonly routes: readonly Option[];
  readonly explanation: TokenExplanation | undefined;
}

const OUTCOMES = {
  holds: { tone: "good", word: "Passed" },
  fails: { tone: "warn", word: "Failed" },
  open: { tone: "off", word: "Skipped" },
} as const;

/** The form to test a token, and the result: whether a call with it is accepted, and why. */
export function TestTokenPage({ state, header, routes, explanation }: TestTokenPageProps) {
  return (
    <ConsoleLayout
      title="Test a token"
      lead="See step by step how the Client API checks any token: an identity provider’s, an app’s or a service-issued one."
    >
      {explanation ? <Answer explanation={explanation} /> : null}
      <Panel title={explanation ? "Another token" : "Token"}>
        <Form action="/admin/token-test" state={state}>
          <LinesField
            name="token"
            label="Token"
            rows={5}
            state={state}
            hint="The token is checked, but not stored or logged."
          />
          <Switch
            name="announced"
            label={`Send the header ${header}`}
            state={state}
            hint="Only tokens of identity providers need it. Other tokens work with and without it."
          />
          <SelectField name="route" label="Call" options={routes} state={state} />
          <SubmitRow button="Test" />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function Answer({ explanation }: { readonly explanation: TokenExplanation }) {
  const { status, code, message, steps, decoded } = explanation;
  return (
    <>
      <Panel title="Result">
        <p role="status">
          <Badge tone={code === undefined ? "good" : "warn"}>{code === undefined ? "Accepted" : "Refused"}</Badge>{" "}
          <code class="word">{code === undefined ? status : `${status} ${code}`}</code>
        </p>
        <p>{sentence(message)}</p>
        <Steps steps={steps} outcomes={OUTCOMES} />
      </Panel>
      {decoded ? (
        <Panel title="Contents of the token" lead="Anybody can write these claims; only the checks above verify them.">
          <h3>Header</h3>
          <pre class="decoded" tabindex={0}>
            {JSON.stringify(decoded.header, null, 2)}
          </pre>
          <h3>Payload</h3>
          <pre class="decoded" tabindex={0}>
            {JSON.stringify(decoded.payload, null, 2)}
          </pre>
        </Panel>
      ) : null}
    </>
  );
}
