import type { ListedSigningKey } from "#authorization-server/signing-keys/signing-keys.ts";
import { AskingPage } from "#pages/views/asking-page.tsx";
import { Badge, type ConsoleFrame, ConsoleLayout, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { Choices } from "#pages/views/fields.tsx";
import type { Reach } from "#grants/grant-directory.ts";

export interface KeysPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly jwksUri: string;
  readonly keys: readonly ListedSigningKey[];
}

const STAGES = {
  signing: <Badge tone="good">Signs</Badge>,
  next: <Badge tone="warn">Next</Badge>,
  retired: <Badge tone="off">Retired</Badge>,
};

/** The keys that sign access tokens. */
export function KeysPage({ frame, done, jwksUri, keys }: KeysPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/keys"
      title="Signing keys"
      done={done}
      lead="Access tokens are signed with one of these. They change by themselves: a key signs for 30 days, and is published a day before and a day after."
    >
      <DataTable
        caption="Signing keys"
        headings={["State", "Key id", "Since", "Made"]}
        rows={keys.map((key) => [
          STAGES[key.stage],
          <code>{key.kid}</code>,
          <Moment at={key.stagedAt} />,
          <Moment at={key.createdAt} />,
        ])}
        empty="There is none yet: the first is made when the first token is issued."
      />
      <Panel title="Change now">
        <p>
          The public parts are at <code>{jwksUri}</code>.
        </p>
        <p>
          <a class="button danger" href="/admin/keys/rotate">
            Rotate…
          </a>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}

/** Asks why, before a key is replaced. */
export function RotateKeyPage({ frame, reach }: { readonly frame: ConsoleFrame; readonly reach: Reach }) {
  return (
    <AskingPage
      frame={frame}
      section="/admin/keys"
      title="Rotate the signing key?"
      action="/admin/keys/rotate"
      button="Rotate"
      back="/admin/keys"
    >
      <Choices
        name="reason"
        label="The old key"
        type="radio"
        state={{ values: { reason: "habit" }, errors: {} }}
        options={[
          {
            value: "habit",
            label: "is good, and may verify on",
            hint: "Nobody notices: its tokens work until they expire.",
          },
          {
            value: "compromised",
            label: "may be in wrong hands",
            hint: `Every access token ends within 10 seconds. The ${counted(reach.clients, "app")} of ${counted(reach.people, "person", "people")} get new ones by themselves where they stay connected; others ask again.`,
          },
        ]}
      />
    </AskingPage>
  );
}
