import type { DeliveryState } from "#audit/audit-delivery.ts";
import { Badge, ConsoleLayout, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { MemberFields } from "#pages/views/member-field.tsx";
import { UNTYPED } from "#pages/untyped.ts";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";

export interface ReceiverPageProps {
  /** `null` without a receiver. */
  readonly delivery: DeliveryState | null;
  readonly fields: Fields;
  readonly state: FormState;
}

const PATH = "/admin/audit/receiver";

/** Where audit entries are sent, and how far delivery is. */
export function ReceiverPage({ delivery, fields, state }: ReceiverPageProps) {
  return (
    <ConsoleLayout title="Audit receiver" lead={<a href="/admin/audit">Audit log</a>}>
      {delivery === null ? null : <DeliveryPanel delivery={delivery} />}
      <Panel
        title="Address"
        lead="New audit entries are sent to this address as OCSF events, within about a minute. The first delivery contains all stored entries."
      >
        <Form action={PATH} state={state}>
          <MemberFields fields={fields} state={state} />
          <SubmitRow button="Save" />
        </Form>
      </Panel>
      {delivery === null ? null : (
        <Panel
          title="Authorization header"
          lead="For collectors that require a token, such as Splunk. Every delivery is also signed with this instance’s key."
        >
          <Form action={`${PATH}/authorization`} state={"authorizationSecret" in state.errors ? state : UNTYPED}>
            <TextField
              name="authorizationSecret"
              label="Authorization"
              type="password"
              state={state}
              hint={
                delivery.hasAuthorization
                  ? "A header is stored. Enter a new value to replace it, or leave this empty to remove it."
                  : "The whole value, such as Splunk followed by a token. It is stored encrypted and never shown again."
              }
            />
            <SubmitRow button={delivery.hasAuthorization ? "Replace or remove" : "Save header"} />
          </Form>
        </Panel>
      )}
    </ConsoleLayout>
  );
}

function DeliveryPanel({ delivery }: { readonly delivery: DeliveryState }) {
  const { deliveredAt, deliveredThrough, waiting, lagSeconds, failures, lastError, nextAt } = delivery;
  return (
    <Panel title="Delivery">
      <Facts
        facts={[
          ["State", <DeliveryBadge delivery={delivery} />],
          ["Last delivery", <Moment at={deliveredAt} />],
          ["Delivered up to", deliveredThrough === 0 ? "Nothing yet" : `No. ${deliveredThrough}`],
          [
            "Waiting",
            waiting === 0
              ? "Nothing"
              : `${counted(waiting, "entry", "entries")}, the oldest for ${durationOf(lagSeconds)}`,
          ],
          ...(failures === 0
            ? []
            : ([
                ["Failed attempts in a row", String(failures)],
                ["Last error", lastError ?? ""],
                ["Next attempt", <Moment at={nextAt} />],
              ] as const)),
        ]}
      />
      <Form action={`${PATH}/deliver`}>
        <SubmitRow button="Deliver now" look={null} />
      </Form>
    </Panel>
  );
}

function DeliveryBadge({ delivery: { failures, waiting } }: { readonly delivery: DeliveryState }) {
  if (failures > 0) return <Badge tone="bad">Failing</Badge>;
  return waiting > 0 ? <Badge tone="warn">Waiting</Badge> : <Badge tone="good">Up to date</Badge>;
}

/** Returns a rounded duration, such as `5 minutes`. */
function durationOf(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  if (seconds < 3600) return counted(Math.round(seconds / 60), "minute");
  return seconds < 172_800 ? counted(Math.round(seconds / 3600), "hour") : counted(Math.round(seconds / 86_400), "day");
}
