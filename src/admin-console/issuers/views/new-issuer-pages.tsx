import type { PresetField } from "#admin-console/issuers/preset-form.ts";
import { type ConsoleFrame, ConsoleLayout, DataTable, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, type Option, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import { EmailDomainsField, IssuerFields, VOUCHING } from "./issuer-fields.tsx";

interface PresetShown {
  readonly name: string;
  readonly title: string;
  readonly atTheProvider: string;
}

/** Asks which provider it is. */
export function ChooseProviderPage(props: { readonly frame: ConsoleFrame; readonly presets: readonly PresetShown[] }) {
  return (
    <ConsoleLayout
      frame={props.frame}
      section="/admin/issuers"
      title="Add a provider"
      lead="For these providers it is known how their tokens are read, and only what is yours is asked for."
    >
      <DataTable
        caption="Providers"
        headings={["Provider", "What has to be set there"]}
        rows={[
          ...props.presets.map(({ name, title, atTheProvider }) => [
            <a href={`/admin/issuers/new?preset=${name}`}>{title}</a>,
            `${capital(atTheProvider)}.`,
          ]),
          [
            <a href="/admin/issuers/new?preset=other">Any other provider</a>,
            "Access tokens that are signed JWTs, with a verified email address in them.",
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
  /** Whether an administrator has to decide who says that an address is its holder's. */
  readonly asksWhoVouches: boolean;
  readonly scopes: readonly Option[];
  readonly state: FormState;
}

/** What one of the known providers needs. */
export function PresetPage({ frame, preset, fields, asksWhoVouches, scopes, state }: PresetPageProps) {
  return (
    <ConsoleLayout frame={frame} section="/admin/issuers" title={`Add ${preset.title}`}>
      <Panel title="At the provider">
        <p>{capital(preset.atTheProvider)}.</p>
      </Panel>
      <Panel
        title="Here"
        lead="Everything else can be changed afterwards, such as its name and the claim that lists groups."
      >
        <Form action="/admin/issuers/new" csrfToken={frame.csrfToken} state={state}>
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
              <Choices
                name="emailVouchedBy"
                label="Who says that an address is its holder’s"
                type="radio"
                options={VOUCHING}
                state={state}
                hint={`${preset.title}’s access tokens do not say it by themselves.`}
              />
              <TextField
                name="emailVerifiedClaim"
                label="Claim by which the token says it"
                state={state}
                hint="A claim that you add at the provider; only where the token says so."
              />
            </>
          ) : null}
          <Choices name="scopes" label="What its tokens may do" type="checkbox" options={scopes} state={state} />
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
  /** The word that stands for a provider without a preset. */
  readonly preset: string;
}

/** A provider that nothing is known of. */
export function NewIssuerPage({ frame, scopes, algorithms, state, preset }: NewIssuerPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/issuers"
      title="Add a provider"
      lead="Decode one of its access tokens and name what is in it."
    >
      <Panel title="Provider">
        <Form action="/admin/issuers/new" csrfToken={frame.csrfToken} state={state}>
          <input type="hidden" name="preset" value={preset} />
          <TextField
            name="issuer"
            label="Issuer"
            required
            state={state}
            placeholder="https://idp.example.com"
            hint="The iss of its tokens, exactly as it is spelt there, with or without the last slash."
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
