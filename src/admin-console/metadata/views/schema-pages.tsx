import type { FoundGroup } from "#custom-metadata/group-directory.ts";
import { ConsoleLayout, type ConsoleFrame, Panel } from "#pages/views/console-layout.tsx";
import { type Option, SelectField, Switch, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

/** The names of one row's fields. */
interface Row {
  readonly name: string;
  readonly type: string;
  readonly hidden: string;
}

interface KeyFieldsProps {
  readonly rows: readonly Row[];
  /** How many of them are seen at once; the others unfold. */
  readonly open: number;
  readonly types: readonly Option[];
  readonly state: FormState;
}

/** The form for a new group. */
export function NewGroupPage({ frame, ...fields }: { readonly frame: ConsoleFrame } & KeyFieldsProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/metadata"
      title="Make a group"
      lead="A pipeline can do the same with a token for the group."
    >
      <Panel title="The group">
        <Form action="/admin/metadata/new" csrfToken={frame.csrfToken} state={fields.state}>
          <TextField
            name="group"
            label="Name of the group"
            required
            maxlength={50}
            state={fields.state}
            hint="Letters and digits, at most 50, the same in any case. It cannot change: queries name each key by group and key together, such as hrstatus for the key status of the group hr."
          />
          <KeyFields {...fields} />
          <SubmitRow button="Make the group" leave={{ href: "/admin/metadata", label: "Leave it" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

/** The form for a group's keys. */
export function SchemaPage(
  props: { readonly frame: ConsoleFrame; readonly path: string; readonly group: FoundGroup } & KeyFieldsProps,
) {
  const { frame, path, group, ...fields } = props;
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/metadata"
      title={`Keys of ${group.display}`}
      lead="A key that you take out goes with its values, and so does one that you rename; you are asked first. The type of a key cannot change."
    >
      <Panel title="The keys">
        <Form action={`${path}/schema`} csrfToken={frame.csrfToken} state={fields.state}>
          <KeyFields {...fields} />
          <SubmitRow button="Save" leave={{ href: path, label: "Leave it as it is" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function KeyFields({ rows, open, types, state }: KeyFieldsProps) {
  const fieldsets = rows.map((row, at) => (
    <fieldset class="key-row">
      <legend>Key {at + 1}</legend>
      <TextField name={row.name} label="Name" maxlength={50} state={state} />
      <SelectField name={row.type} label="Type" options={types} state={state} />
      <Switch name={row.hidden} label="Not in free text" state={state} />
    </fieldset>
  ));
  return (
    <>
      <p class="hint">
        A name has letters and digits, at most 50. Rows without a name are ignored. A text is matched by its words, a
        choice as a whole, in any case. What is not in free text is shown and filtered by, and no other search finds it.
      </p>
      <div class="key-rows">{fieldsets.slice(0, open)}</div>
      {open === rows.length ? null : (
        <details>
          <summary>More rows, up to {rows.length}</summary>
          <div class="key-rows">{fieldsets.slice(open)}</div>
        </details>
      )}
    </>
  );
}
