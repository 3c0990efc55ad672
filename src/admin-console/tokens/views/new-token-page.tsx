import type { TokenPurpose } from "#admin-console/tokens/token-form.ts";
import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, type Option, TextField } from "#pages/views/fields.tsx";
import { Form, said, SubmitRow } from "#pages/views/form.tsx";
import { t } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/described-members.ts";

const purposes = () =>
  [
    {
      value: "person",
      label: t`Search as one person`,
      hint: t`A Client API token. It finds only what that person may see.`,
    },
    {
      value: "metadata",
      label: t`Write custom metadata`,
      hint: t`For one metadata group or all of them. It can’t read anything.`,
    },
    {
      value: "documents",
      label: t`Write documents`,
      hint: t`For a pipeline that pushes to the datasources you choose. It can’t read anything.`,
    },
    {
      value: "admin",
      label: t`Administer with a program`,
      hint: t`An Admin API token. You choose what it can do.`,
    },
    {
      value: "directory",
      label: t`Provision people and groups`,
      hint: t`A SCIM token, for your directory: Okta, Microsoft Entra ID or another.`,
    },
  ] as const satisfies readonly (Option & { readonly value: TokenPurpose })[];

const titles = (): Readonly<Record<TokenPurpose, string>> => ({
  person: t`A token that searches as one person`,
  metadata: t`A token that writes custom metadata`,
  documents: t`A token that writes documents`,
  admin: t`A token for the Admin API`,
  directory: t`A token that provisions people and groups`,
});

/** The first step: what the token is for. */
export function PurposePage() {
  return (
    <ConsoleLayout title={t`Create a token`} lead={t`Step 1 of 2.`}>
      <Panel title={t`What is it for?`}>
        <form method="get" action="/admin/tokens/new" class="form">
          <Choices
            name="purpose"
            label={t`Purpose`}
            type="radio"
            options={purposes()}
            state={{ values: { purpose: "documents" }, errors: {} }}
          />
          <SubmitRow button={t`Next`} leave={{ href: "/admin/tokens", label: t`Cancel` }} />
        </form>
      </Panel>
    </ConsoleLayout>
  );
}

export interface NewTokenPageProps {
  readonly purpose: TokenPurpose;
  readonly scopes: readonly Option[];
  readonly state: FormState;
}

/** The second step: the fields for a token with this purpose. */
export function NewTokenPage({ purpose, scopes, state }: NewTokenPageProps) {
  return (
    <ConsoleLayout title={titles()[purpose]} lead={t`Step 2 of 2.`}>
      <Panel title={t`The token`}>
        <Form action="/admin/tokens/new" state={state}>
          <input type="hidden" name="purpose" value={purpose} />
          <TextField
            name="name"
            label={t`Name`}
            required
            maxlength={80}
            state={state}
            hint={t`Name the program that uses it.`}
          />
          {purpose === "person" ? <PersonFields scopes={scopes} state={state} /> : null}
          {purpose === "metadata" ? <MetadataFields state={state} /> : null}
          {purpose === "documents" ? <DocumentsFields state={state} /> : null}
          {purpose === "directory" ? (
            <TextField
              name="target"
              label={t`Directory`}
              required
              maxlength={30}
              state={state}
              hint={t`A short name, such as okta: lower-case letters, digits and dashes. A new token with the same name continues with the same users and groups.`}
            />
          ) : null}
          {purpose === "admin" ? <ScopesField scopes={scopes} state={state} /> : null}
          <TextField
            name="lifetime"
            label={t`Expires after, days`}
            type="number"
            required={purpose !== "person"}
            state={state}
            hint={
              purpose === "person"
                ? t`If empty, it doesn’t expire, but it still ends with the person’s access.`
                : t`1 to 366. Rotating the secret doesn’t change this.`
            }
          />
          <LinesField
            name="networks"
            label={t`Networks`}
            state={state}
            hint={t`Where the token works, one address or network such as 192.0.2.0/24 per line. If empty, anywhere.`}
          />
          <SubmitRow button={t`Create the token`} leave={{ href: "/admin/tokens/new", label: t`Back` }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function PersonFields({ scopes, state }: Pick<NewTokenPageProps, "scopes" | "state">) {
  return (
    <>
      <TextField
        name="person"
        label={t`Person’s email`}
        type="email"
        required
        state={state}
        hint={t`The token finds documents that this address may see. The person needn’t have signed in.`}
      />
      <ScopesField scopes={scopes} state={state} />
    </>
  );
}

function MetadataFields({ state }: { readonly state: FormState }) {
  return (
    <>
      <ReachField some={t`One group`} every={t`Every group`} state={state} />
      <TextField
        name="target"
        label={t`Group`}
        maxlength={50}
        state={state}
        hint={t`Letters, digits, hyphens, underscores and dots. It doesn’t have to exist yet.`}
      />
    </>
  );
}

function DocumentsFields({ state }: { readonly state: FormState }) {
  return (
    <>
      <ReachField some={t`Some datasources`} every={t`Every datasource`} state={state} />
      <LinesField
        name="target"
        label={t`Datasources`}
        state={state}
        hint={t`One per line. They don’t have to exist yet.`}
      />
    </>
  );
}

/** Whether the token may write only what is named below, or everything. */
function ReachField(props: { readonly some: string; readonly every: string; readonly state: FormState }) {
  return (
    <Choices
      name="reach"
      label={t`What the token can write`}
      type="radio"
      state={props.state}
      options={[
        { value: "chosen", label: props.some, hint: t`Named below.` },
        { value: "global", label: props.every, hint: t`Including those added later.` },
      ]}
    />
  );
}

function ScopesField({ scopes, state }: Pick<NewTokenPageProps, "scopes" | "state">) {
  return (
    <Choices name="scopes" label={t`What the token can do`} type="checkbox" options={scopes.map(said)} state={state} />
  );
}
