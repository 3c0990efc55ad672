import type { DeliveryState } from "#audit/audit-delivery.ts";
import { Badge, ConsoleLayout, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#messages/catalogue.ts";
import { TextField } from "#pages/views/fields.tsx";
import { Form, MemberFields, SubmitRow, UNTYPED } from "#pages/views/form.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";
import { t } from "#pages/views/console-frame.ts";

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
    <ConsoleLayout title={t`Audit receiver`} lead={<a href="/admin/audit">{t`Audit log`}</a>}>
      {delivery === null ? null : <DeliveryPanel delivery={delivery} />}
      <Panel
        title={t`Address`}
        lead={t`New audit entries are sent to this address as OCSF events, within about a minute. The first delivery contains all stored entries.`}
      >
        <Form action={PATH} state={state}>
          <MemberFields fields={fields} state={state} />
          <SubmitRow button={t`Save`} />
        </Form>
      </Panel>
      {delivery === null ? null : (
        <Panel
          title={t`Authorization header`}
          lead={t`For collectors that require a token, such as Splunk. Every delivery is also signed with this instance’s key.`}
        >
          <Form action={`${PATH}/authorization`} state={"authorizationSecret" in state.errors ? state : UNTYPED}>
            <TextField
              name="authorizationSecret"
              label={t`Header value`}
              type="password"
              state={state}
              hint={
                delivery.hasAuthorization
                  ? t`A header is stored. Enter a new value to replace it, or leave this empty to remove it.`
                  : t`The whole value, such as Splunk followed by a token. It is stored encrypted and never shown again.`
              }
            />
            <SubmitRow button={delivery.hasAuthorization ? t`Replace or remove` : t`Save header`} />
          </Form>
        </Panel>
      )}
    </ConsoleLayout>
  );
}

function DeliveryPanel({ delivery }: { readonly delivery: DeliveryState }) {
  const { deliveredAt, deliveredThrough, waiting, lagSeconds, failures, lastError, nextAt } = delivery;
  return (
    <Panel title={t`Delivery`}>
      <Facts
        facts={[
          [t`State`, <DeliveryBadge delivery={delivery} />],
          [t`Last delivery`, <Moment at={deliveredAt} />],
          [t`Delivered up to`, deliveredThrough === 0 ? t`Nothing yet` : t`No. ${deliveredThrough}`],
          [
            t`Waiting`,
            waiting === 0
              ? t`Nothing`
              : t`${counted(waiting, "entry", "entries")}, the oldest for ${durationOf(lagSeconds)}`,
          ],
          ...(failures === 0
            ? []
            : ([
                [t`Failed attempts in a row`, String(failures)],
                [t`Last error`, lastError ?? ""],
                [t`Next attempt`, <Moment at={nextAt} />],
              ] as const)),
        ]}
      />
      <Form action={`${PATH}/deliver`}>
        <SubmitRow button={t`Deliver now`} look={null} />
      </Form>
    </Panel>
  );
}

function DeliveryBadge({ delivery: { failures, waiting } }: { readonly delivery: DeliveryState }) {
  if (failures > 0) return <Badge tone="bad">{t`Failing`}</Badge>;
  return waiting > 0 ? <Badge tone="warn">{t`Waiting`}</Badge> : <Badge tone="good">{t`Up to date`}</Badge>;
}

/** Returns a rounded duration, such as `5 minutes`. */
function durationOf(seconds: number): string {
  if (seconds < 60) return t`less than a minute`;
  if (seconds < 3600) return t`${counted(Math.round(seconds / 60), "minute")}`;
  return seconds < 172_800
    ? t`${counted(Math.round(seconds / 3600), "hour")}`
    : t`${counted(Math.round(seconds / 86_400), "day")}`;
}
