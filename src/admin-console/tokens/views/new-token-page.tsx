import type { TokenPurpose } from "#admin-console/tokens/token-form.ts";
import { ConsoleLayout, type ConsoleFrame, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, type Option, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

const PURPOSES = [
  {
    value: "person",
    label: "Search as one person",
    hint: "A Client API token. It finds what that person may see, and nothing else.",
  },
  {
    value: "metadata",
    label: "Write custom metadata",
    hint: "For one group of custom metadata, or for all of them. It reads nothing.",
  },
  {
    value: "documents",
    label: "Write documents",
    hint: "For a pipeline that feeds the datasources you choose. It reads nothing.",
  },
  {
    value: "admin",
    label: "Administer from a program",
    hint: "An Admin API token. It does what you choose of what this console does.",
  },
] as const satisfies readonly (Option & { readonly value: TokenPurpose })[];

const TITLES: Readonly<Record<TokenPurpose, string>> = {
  person: "A token that searches as one person",
  metadata: "A token that writes custom metadata",
  documents: "A token that writes documents",
  admin: "A token that administers",
};

/** The first step: what the token is for. */
export function PurposePage({ frame }: { readonly frame: ConsoleFrame }) {
  return (
    <ConsoleLayout frame={frame} section="/admin/tokens" title="Make a token" lead="Step 1 of 2.">
      <Panel title="What is it for?">
        <form method="get" action="/admin/tokens/new" class="form">
          <Choices
            name="purpose"
            label="The token is to"
            type="radio"
            options={PURPOSES}
            state={{ values: { purpose: "metadata" }, errors: {} }}
          />
          <SubmitRow button="Next" leave={{ href: "/admin/tokens", label: "Leave it" }} />
        </form>
      </Panel>
    </ConsoleLayout>
  );
}

export interface NewTokenPageProps {
  readonly frame: ConsoleFrame;
  readonly purpose: TokenPurpose;
  readonly scopes: readonly Option[];
  readonly state: FormState;
}

/** The second step: the fields that a token of this purpose has. */
export function NewTokenPage({ frame, purpose, scopes, state }: NewTokenPageProps) {
  return (
    <ConsoleLayout frame={frame} section="/admin/tokens" title={TITLES[purpose]} lead="Step 2 of 2.">
      <Panel title="The token">
        <Form action="/admin/tokens/new" csrfToken={frame.csrfToken} state={state}>
          <input type="hidden" name="purpose" value={purpose} />
          <TextField
            name="name"
            label="Name"
            required
            maxlength={80}
            state={state}
            hint="What uses it, for whoever reads the list in a year."
          />
          {purpose === "person" ? <PersonFields scopes={scopes} state={state} /> : null}
          {purpose === "metadata" ? <MetadataFields state={state} /> : null}
          {purpose === "documents" ? <DocumentsFields state={state} /> : null}
          {purpose === "admin" ? (
            <Choices name="scopes" label="It may" type="checkbox" options={scopes} state={state} />
          ) : null}
          <TextField
            name="lifetime"
            label="Expires after, days"
            type="number"
            required={purpose !== "person"}
            state={state}
            hint={
              purpose === "person"
                ? "Left empty it does not expire; it still ends with the person’s access."
                : "1 to 366. A pipeline that renews its own secret does not move this."
            }
          />
          <LinesField
            name="networks"
            label="Networks"
            state={state}
            hint="It works from these alone: one a line, an address or a block such as 192.0.2.0/24. Left empty it works from anywhere."
          />
          <SubmitRow button="Make the token" leave={{ href: "/admin/tokens/new", label: "Back" }} />
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
        label="Person’s email"
        type="email"
        required
        state={state}
        hint="Known here or not yet. The token finds what documents let this address see."
      />
      <Choices name="scopes" label="It may" type="checkbox" options={scopes} state={state} />
    </>
  );
}

function MetadataFields({ state }: { readonly state: FormState }) {
  return (
    <>
      <Choices
        name="reach"
        label="It writes"
        type="radio"
        state={state}
        options={[
          { value: "chosen", label: "One group", hint: "Named below." },
          { value: "global", label: "Every group", hint: "Those that come later too." },
        ]}
      />
      <TextField
        name="target"
        label="Group"
        maxlength={50}
        state={state}
        hint="Letters and digits. It need not exist yet."
      />
    </>
  );
}

function DocumentsFields({ state }: { readonly state: FormState }) {
  return (
    <>
      <Choices
        name="reach"
        label="It writes"
        type="radio"
        state={state}
        options={[
          { value: "chosen", label: "Some datasources", hint: "Named below." },
          { value: "global", label: "Every datasource", hint: "Those that come later too." },
        ]}
      />
      <LinesField name="target" label="Datasources" state={state} hint="One a line. They need not exist yet." />
    </>
  );
}
