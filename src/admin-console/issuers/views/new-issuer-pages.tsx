import type { Preset } from "#issuers/presets.ts";
import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { Form, MemberField, MemberFields, SubmitRow } from "#pages/views/form.tsx";
import { ProviderChoice, toSetUp } from "#pages/views/provider-choice.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";
import { t } from "#pages/views/console-frame.ts";

/** The choice of a provider, before its form. */
export function ChooseProviderPage({ presets }: { readonly presets: readonly Preset[] }) {
  return (
    <ConsoleLayout title={t`Add a provider`} lead={t`You only have to enter your own details.`}>
      <ProviderChoice page="/admin/issuers/new" providers={presets} />
    </ConsoleLayout>
  );
}

export interface PresetPageProps {
  readonly preset: Preset;
  readonly inputs: Fields;
  readonly fields: Fields<"emailDomains" | "emailVouchedBy" | "emailVerifiedClaim" | "scopes">;
  readonly state: FormState;
}

/** The form for a provider with a preset. */
export function PresetPage({ preset, inputs, fields, state }: PresetPageProps) {
  return (
    <ConsoleLayout title={t`Add ${preset.title}`}>
      <Panel title={t`At the provider`}>
        <p>{toSetUp(preset.atTheProvider)}</p>
      </Panel>
      <Panel title={t`Here`} lead={t`You can change everything else later.`}>
        <Form action="/admin/issuers/new" state={state}>
          <input type="hidden" name="preset" value={preset.name} />
          <MemberFields fields={inputs} state={state} />
          <MemberField fields={fields} name="emailDomains" state={state} />
          {preset.saysVerified ? null : (
            <>
              <MemberField
                fields={fields}
                name="emailVouchedBy"
                state={state}
                hint={t`${preset.title}’s access tokens don’t confirm them.`}
              />
              <MemberField
                fields={fields}
                name="emailVerifiedClaim"
                state={state}
                hint={t`A claim that you add at the provider. Only needed if the token confirms the email.`}
              />
            </>
          )}
          <MemberField fields={fields} name="scopes" state={state} hint={undefined} />
          <SubmitRow button={t`Add the provider`} leave={{ href: "/admin/issuers/new", label: t`Back` }} />
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
    <ConsoleLayout title={t`Add a provider`} lead={t`Decode one of its access tokens and enter what it contains.`}>
      <Panel title={t`Provider`}>
        <Form action="/admin/issuers/new" state={state}>
          <input type="hidden" name="preset" value={preset} />
          <MemberFields fields={fields} state={state} />
          <SubmitRow button={t`Add the provider`} leave={{ href: "/admin/issuers/new", label: t`Back` }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}
