import { known, t, useFrame } from "#pages/views/console-frame.ts";
import { grouped } from "#pages/views/count.ts";
import { Badge, ButtonLink, ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#messages/catalogue.ts";
import { Form, SubmitRow } from "#pages/views/form.tsx";

const SECTION = "/admin/document-storage";

/** The latest move, as the page shows it. */
export interface ShownMove {
  readonly from: string;
  readonly to: string;
  readonly stage: string;
  /** The stage in words. */
  readonly says: string;
  readonly isUnderWay: boolean;
  readonly canCancel: boolean;
  readonly copied: number;
  readonly total: number;
  readonly behind: number | null;
  readonly counted: number | null;
  readonly startedAt: number;
  readonly changedAt: number;
  readonly problem: string | null;
}

export interface DocumentStoragePageProps {
  /** What keeps the documents, in words. */
  readonly engine: string;
  /** What they can move to in one step. */
  readonly targets: readonly { readonly engine: string; readonly says: string }[];
  readonly move: ShownMove | null;
}

/**
 * Where the documents are, and, if they ever moved, how far the move has got and what can be done.
 */
export function DocumentStoragePage({ engine, targets, move }: DocumentStoragePageProps) {
  return (
    <ConsoleLayout
      title={t`Document storage`}
      lead={t`The documents are in ${known(engine)}. Each holds up to 10 GB; ${<a href="/admin/content">{t`Content`}</a>} shows how much is in use. The guide ${<code class="word">docs/scaling.md</code>} explains when to split them.`}
    >
      {move === null ? null : <Move move={move} />}
      {move?.isUnderWay ? null : (
        <Panel
          title={t`Split or join the documents`}
          lead={t`Searches and uploads keep working during the move. Only owners can move documents.`}
        >
          {targets.map(({ engine: target, says }) => (
            <p>
              <DangerButton
                href={`${SECTION}/move?${new URLSearchParams({ engine: target }).toString()}`}
              >{t`Move to ${known(says)}…`}</DangerButton>
            </p>
          ))}
        </Panel>
      )}
    </ConsoleLayout>
  );
}

function Move({ move }: { readonly move: ShownMove }) {
  const { stage, behind } = move;
  const cancel = `${SECTION}/cancel`;
  const isGoingOn = move.isUnderWay || stage === "erasing";
  return (
    <Panel title={move.isUnderWay ? t`Move under way` : t`Latest move`} isRenewed={isGoingOn}>
      <Facts
        facts={[
          [t`From`, known(move.from)],
          [t`To`, known(move.to)],
          [t`State`, <Badge tone={toneOf(move)}>{known(move.says)}</Badge>],
          ...(stage === "copying"
            ? ([
                [t`Copied`, t`${move.copied} entries of about ${counted(move.total, "document")}`],
                [t`Changes behind`, behind === null ? t`not counted yet` : grouped(behind)],
              ] as const)
            : []),
          [
            t`Compared`,
            move.counted === null ? t`not yet` : t`both sides counted ${counted(move.counted, "document")}`,
          ],
          [t`Last problem`, <bdi>{move.problem === null ? t`none` : known(move.problem)}</bdi>],
          [t`Started`, <Moment at={move.startedAt} />],
          [t`Last step`, <Moment at={move.changedAt} />],
        ]}
      />
      <div class="actions">
        {isGoingOn ? <ButtonLink href={SECTION}>{t`Reload`}</ButtonLink> : null}
        {stage === "moved" ? (
          <DangerButton href={`${SECTION}/erase-old`}>{t`Delete the old documents…`}</DangerButton>
        ) : null}
      </div>
      {move.canCancel && useFrame().refusalOf(cancel) === undefined ? (
        <Form action={cancel}>
          <p class="hint">{t`If you cancel, what was copied is deleted and the documents stay where they are.`}</p>
          <SubmitRow button={t`Cancel the move`} look={null} />
        </Form>
      ) : null}
    </Panel>
  );
}

function toneOf({ stage, problem, isUnderWay }: ShownMove) {
  if (stage === "returned" || stage === "returning") return "bad";
  if (isUnderWay) return problem === null ? "warn" : "bad";
  return "good";
}
