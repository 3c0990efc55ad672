import type { ListedSigningKey } from "#authorization-server/signing-keys/signing-keys.d1.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { Badge, ConsoleLayout, DangerButton, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { Choices } from "#pages/views/fields.tsx";
import type { Reach } from "#grants/grant-directory.ts";

const STAGES = {
  signing: <Badge tone="good">Signs</Badge>,
  next: <Badge tone="warn">Next</Badge>,
  retired: <Badge tone="off">Retired</Badge>,
};

/** The keys that sign access tokens. */
export function KeysPage({ jwksUri, keys }: { readonly jwksUri: string; readonly keys: readonly ListedSigningKey[] }) {
  return (
    <ConsoleLayout
      title="Signing keys"
      lead="One of these keys signs access tokens. They are rotated automatically: a key signs for 30 days, and is published from a day before to a day after."
    >
      <DataTable
        caption="Signing keys"
        headings={["State", "Key id", "Since", "Created"]}
        rows={keys.map((key) => [
          STAGES[key.stage],
          <code>{key.kid}</code>,
          <Moment at={key.stagedAt} />,
          <Moment at={key.createdAt} />,
        ])}
        empty="No keys yet. The first one is created with the first token."
      />
      <Panel title="Change now">
        <p>
          The public parts are at <code>{jwksUri}</code>
        </p>
        <p>
          <DangerButton href="/admin/keys/rotate">Rotate…</DangerButton>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}

/** Asks why, before a key is replaced. */
export function rotateKeyQuestion(reach: Reach): Question {
  return {
    title: "Rotate the signing key?",
    more: (
      <Choices
        name="reason"
        label="The old key"
        type="radio"
        state={{ values: { reason: "habit" }, errors: {} }}
        options={[
          {
            value: "habit",
            label: "is safe",
            hint: "Its tokens work until they expire.",
          },
          {
            value: "compromised",
            label: "may be compromised",
            hint: `Every access token ends within 10 seconds. The ${counted(reach.clients, "app")} of ${counted(reach.people, "person", "people")} get new ones automatically if they stay connected; others must ask again.`,
          },
        ]}
      />
    ),
  };
}
