import type { FoundGroup } from "#custom-metadata/group-directory.ts";
import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { type Option, SelectField, Switch, TextField } from "#pages/views/fields.tsx";
import { Form, said, SubmitRow } from "#pages/views/form.tsx";
import { t } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/described-members.ts";

/** The names of one row's fields. */
interface Row {
  readonly name: string;
  readonly type: string;
  readonly hidden: string;
}

interface KeyFieldsProps {
  readonly rows: readonly Row[];
  /** How many rows are visible at first; the others are collapsed. */
  readonly open: number;
  readonly types: readonly Option[];
  readonly state: FormState;
}

/** The form for a new group. */
export function NewGroupPage({ ...fields }: KeyFieldsProps) {
  return (
    <ConsoleLayout title={t`Create a group`}>
      <Panel title={t`The group`}>
        <Form action="/admin/metadata/new" state={fields.state}>
          <TextField
            name="group"
            label={t`Name of the group`}
            required
            maxlength={50}
            state={fields.state}
            hint={t`At most 50 letters, digits, hyphens, underscores and dots; case doesn’t matter. You can’t change it later, because queries combine group and key: hrstatus is the key status of the group hr.`}
          />
          <KeyFields {...fields} />
          <SubmitRow button={t`Create the group`} leave={{ href: "/admin/metadata", label: t`Cancel` }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

/** The form for a group's keys. */
export function SchemaPage(props: { readonly path: string; readonly group: FoundGroup } & KeyFieldsProps) {
  const { path, group, ...fields } = props;
  return (
    <ConsoleLayout
      title={t`Keys of ${group.display}`}
      lead={t`If you remove or rename a key, its values are removed too; you confirm this first. You can’t change the type of a key.`}
    >
      <Panel title={t`The keys`}>
        <Form action={`${path}/schema`} state={fields.state}>
          <KeyFields {...fields} />
          <SubmitRow button={t`Save`} leave={{ href: path, label: t`Cancel` }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function KeyFields({ rows, open, types, state }: KeyFieldsProps) {
  const fieldsets = rows.map((row, at) => (
    <fieldset class="key-row">
      <legend>{t`Key ${at + 1}`}</legend>
      <TextField name={row.name} label={t`Name`} maxlength={50} state={state} />
      <SelectField name={row.type} label={t`Type`} options={types.map(said)} state={state} />
      <Switch name={row.hidden} label={t`Exclude from free text`} state={state} />
    </fieldset>
  ));
  return (
    <>
      <p class="hint">{t`Names have at most 50 letters, digits, hyphens, underscores and dots. Rows without a name are ignored. Text matches by word; a choice matches as a whole; case doesn’t matter. Keys excluded from free text are shown and can be used in filters, but other searches don’t find them.`}</p>
      <div class="key-rows">{fieldsets.slice(0, open)}</div>
      {open === rows.length ? null : (
        <details>
          <summary>{t`More rows, up to ${rows.length}`}</summary>
          <div class="key-rows">{fieldsets.slice(open)}</div>
        </details>
      )}
    </>
  );
}
