import type { PresetField } from "#admin-console/issuers/preset-form.ts";
import { type ConsoleFrame, ConsoleLayout, DataTable, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, type Option, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import { EmailDomainsField, IssuerFields, VouchingField } from "./issuer-fields.tsx";

interface PresetShown {
  readonly name: string;
  readonly title: string;
  readonly atTheProvider: string;
}

/** The choice of a provider, before its form. */
export function ChooseProviderPage(props: { readonly frame: ConsoleFrame; readonly presets: readonly PresetShown[] }) {
  return (
    <ConsoleLayout
      frame={props.frame}
      section="/admin/issuers"
      title="Add a provider"
      lead="You only have to enter your own details."
    >
      <DataTable
        caption="Providers"
        headings={["Provider", "What to configure there"]}
        rows={[
          ...props.presets.map(({ name, title, atTheProvider }) => [
            <a href={`/admin/issuers/new?preset=${name}`}>{title}</a>,
            `${capital(atTheProvider)}.`,
          ]),
          [
            <a href="/admin/issuers/new?preset=other">Any other provider</a>,
            "Access tokens must be signed JWTs with a verified email address.",
          ],
        ]}
        empty=""
      />
    </ConsoleLayout>
  );
}

export interface PresetPageProps {
  readonly frame: ConsoleFrame;
  readonly preset: PresetShown;
  readonly fields: readonly PresetField[];
  /** Whether an administrator has to choose who confirms that people own their email address. */
  readonly asksWhoVouches: boolean;
  readonly scopes: readonly Option[];
  readonly state: FormState;
}

/** The form for a provider with a preset. */
export function PresetPage({ frame, preset, fields, asksWhoVouches, scopes, state }: PresetPageProps) {
  return (
    <ConsoleLayout frame={frame} section="/admin/issuers" title={`Add ${preset.title}`}>
      <Panel title="At the provider">
        <p>{capital(preset.atTheProvider)}.</p>
      </Panel>
      <Panel title="Here" lead="You can change everything else later.">
        <Form action="/admin/issuers/new" frame={frame} state={state}>
          <input type="hidden" name="preset" value={preset.name} />
          {fields.map((field) => {
            const hint = field.isRequired ? field.hint : `Optional. ${field.hint}`;
            return field.isList ? (
              <LinesField name={field.name} label={field.label} rows={2} state={state} hint={hint} />
            ) : (
              <TextField name={field.name} label={field.label} required={field.isRequired} state={state} hint={hint} />
            );
          })}
          <EmailDomainsField state={state} />
          {asksWhoVouches ? (
            <>
              <VouchingField state={state} hint={`${preset.title}’s access tokens don’t confirm them.`} />
              <TextField
                name="emailVerifiedClaim"
                label="Claim that confirms the email"
                state={state}
                hint="A claim that you add at the provider. Only needed if the token confirms the email."
              />
            </>
          ) : null}
          <Choices name="scopes" label="Scopes of its tokens" type="checkbox" options={scopes} state={state} />
          <SubmitRow button="Add the provider" leave={{ href: "/admin/issuers/new", label: "Back" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

export interface NewIssuerPageProps {
  readonly frame: ConsoleFrame;
  readonly scopes: readonly Option[];
  readonly algorithms: readonly string[];
  readonly state: FormState;
  /** The value of `preset` for a provider without a preset. */
  readonly preset: string;
}

/** The form for a provider without a preset. */
export function NewIssuerPage({ frame, scopes, algorithms, state, preset }: NewIssuerPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/issuers"
      title="Add a provider"
      lead="Decode one of its access tokens and enter what it contains."
    >
      <Panel title="Provider">
        <Form action="/admin/issuers/new" frame={frame} state={state}>
          <input type="hidden" name="preset" value={preset} />
          <TextField
            name="issuer"
            label="Issuer"
            required
            state={state}
            placeholder="https://idp.example.com"
            hint="The iss of its tokens, exactly as written there, including any trailing slash."
          />
          <IssuerFields scopes={scopes} algorithms={algorithms} state={state} />
          <SubmitRow button="Add the provider" leave={{ href: "/admin/issuers/new", label: "Back" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
