import type { PresetField } from "#admin-console/issuers/preset-form.ts";
import type { Preset } from "#issuers/presets.ts";
import { ConsoleLayout, DataTable, Panel } from "#pages/views/console-layout.tsx";
import { LinesField, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { MemberField, MemberFields } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";

/** The choice of a provider, before its form. */
export function ChooseProviderPage({ presets }: { readonly presets: readonly Preset[] }) {
  return (
    <ConsoleLayout title="Add a provider" lead="You only have to enter your own details.">
      <DataTable
        caption="Providers"
        headings={["Provider", "What to configure there"]}
        rows={[
          ...presets.map(({ name, title, atTheProvider }) => [
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
  readonly preset: Preset;
  readonly inputs: readonly PresetField[];
  readonly fields: Fields<"emailDomains" | "emailVouchedBy" | "emailVerifiedClaim" | "scopes">;
  readonly state: FormState;
}

/** The form for a provider with a preset. */
export function PresetPage({ preset, inputs, fields, state }: PresetPageProps) {
  return (
    <ConsoleLayout title={`Add ${preset.title}`}>
      <Panel title="At the provider">
        <p>{capital(preset.atTheProvider)}.</p>
      </Panel>
      <Panel title="Here" lead="You can change everything else later.">
        <Form action="/admin/issuers/new" state={state}>
          <input type="hidden" name="preset" value={preset.name} />
          {inputs.map((field) => {
            const hint = field.isRequired ? field.hint : `Optional. ${field.hint}`;
            return field.isList ? (
              <LinesField name={field.name} label={field.label} rows={2} state={state} hint={hint} />
            ) : (
              <TextField name={field.name} label={field.label} required={field.isRequired} state={state} hint={hint} />
            );
          })}
          <MemberField fields={fields} name="emailDomains" state={state} />
          {preset.saysVerified ? null : (
            <>
              <MemberField
                fields={fields}
                name="emailVouchedBy"
                state={state}
                hint={`${preset.title}’s access tokens don’t confirm them.`}
              />
              <MemberField
                fields={fields}
                name="emailVerifiedClaim"
                state={state}
                hint="A claim that you add at the provider. Only needed if the token confirms the email."
              />
            </>
          )}
          <MemberField fields={fields} name="scopes" state={state} hint={undefined} />
          <SubmitRow button="Add the provider" leave={{ href: "/admin/issuers/new", label: "Back" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

export interface NewIssuerPageProps {
  readonly fields: Fields;
  readonly state: FormState;
  /** The value of `preset` for a provider without a preset. */
  readonly preset: string;
}

/** The form for a provider without a preset. */
export function NewIssuerPage({ fields, state, preset }: NewIssuerPageProps) {
  return (
    <ConsoleLayout title="Add a provider" lead="Decode one of its access tokens and enter what it contains.">
      <Panel title="Provider">
        <Form action="/admin/issuers/new" state={state}>
          <input type="hidden" name="preset" value={preset} />
          <MemberFields fields={fields} state={state} />
          <SubmitRow button="Add the provider" leave={{ href: "/admin/issuers/new", label: "Back" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
