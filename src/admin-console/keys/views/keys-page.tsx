import type { ListedSigningKey } from "#authorization-server/signing-keys/signing-keys.d1.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { Badge, ConsoleLayout, DangerButton, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#messages/catalogue.ts";
import { Choices } from "#pages/views/fields.tsx";
import { t } from "#pages/views/console-frame.ts";
import type { Reach } from "#grants/grants.ts";

const stages = () => ({
  signing: <Badge tone="good">{t`Signs`}</Badge>,
  next: <Badge tone="warn">{t`Next key`}</Badge>,
  retired: <Badge tone="off">{t`Retired`}</Badge>,
});

/** The keys that sign access tokens. */
export function KeysPage({ jwksUri, keys }: { readonly jwksUri: string; readonly keys: readonly ListedSigningKey[] }) {
  return (
    <ConsoleLayout
      title={t`Signing keys`}
      lead={t`One of these keys signs access tokens. They are rotated automatically: a key signs for 30 days, and is published from a day before to a day after.`}
    >
      <DataTable
        caption={t`Signing keys`}
        headings={[t`State`, t`Key id`, t`Since`, t`Created`]}
        rows={keys.map((key) => [
          stages()[key.stage],
          <code>{key.kid}</code>,
          <Moment at={key.stagedAt} />,
          <Moment at={key.createdAt} />,
        ])}
        empty={t`No keys yet. The first one is created with the first token.`}
      />
      <Panel title={t`Change now`}>
        <p>{t`The public parts are at ${<code>{jwksUri}</code>}`}</p>
        <p>
          <DangerButton href="/admin/keys/rotate">{t`Rotate…`}</DangerButton>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}

/** Asks why, before a key is replaced. */
export function rotateKeyQuestion(reach: Reach): Question {
  return { title: "Rotate the signing key?", more: <Reasons reach={reach} /> };
}

function Reasons({ reach }: { readonly reach: Reach }) {
  return (
    <Choices
      name="reason"
      label={t`The old key`}
      type="radio"
      state={{ values: { reason: "habit" }, errors: {} }}
      options={[
        { value: "habit", label: t`is safe`, hint: t`Its tokens work until they expire.` },
        {
          value: "compromised",
          label: t`may be compromised`,
          hint: t`Every access token ends within 10 seconds. The ${counted(reach.clients, "app")} of ${counted(reach.people, "person", "people")} get new ones automatically if they stay connected; others must ask again.`,
        },
      ]}
    />
  );
}
