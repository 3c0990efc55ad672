import { useFrame } from "#pages/views/console-frame.ts";
import { Badge, ButtonLink, ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted, grouped } from "#pages/views/count.ts";
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
      title="Document storage"
      lead={
        <>
          The documents are in {engine}. Each holds up to 10 GB; <a href="/admin/content">Content</a> shows how much is
          in use. The guide <code class="word">docs/scaling.md</code> explains when to split them.
        </>
      }
    >
      {move === null ? null : <Move move={move} />}
      {move?.isUnderWay ? null : (
        <Panel
          title="Split or join the documents"
          lead="Searches and uploads keep working during the move. Only owners can move documents."
        >
          {targets.map(({ engine: target, says }) => (
            <p>
              <DangerButton href={`${SECTION}/move?${new URLSearchParams({ engine: target }).toString()}`}>
                Move to {says}…
              </DangerButton>
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
    <Panel title={move.isUnderWay ? "Move under way" : "Latest move"} isRenewed={isGoingOn}>
      <Facts
        facts={[
          ["From", move.from],
          ["To", move.to],
          ["State", <Badge tone={toneOf(move)}>{move.says}</Badge>],
          ...(stage === "copying"
            ? ([
                ["Copied", `${grouped(move.copied)} entries of about ${counted(move.total, "document")}`],
                ["Changes behind", behind === null ? "not counted yet" : grouped(behind)],
              ] as const)
            : []),
          ["Compared", move.counted === null ? "not yet" : `both sides counted ${counted(move.counted, "document")}`],
          ["Last problem", <bdi>{move.problem ?? "none"}</bdi>],
          ["Started", <Moment at={move.startedAt} />],
          ["Last step", <Moment at={move.changedAt} />],
        ]}
      />
      <div class="actions">
        {isGoingOn ? <ButtonLink href={SECTION}>Refresh</ButtonLink> : null}
        {stage === "moved" ? (
          <DangerButton href={`${SECTION}/erase-old`}>Delete the old documents…</DangerButton>
        ) : null}
      </div>
      {move.canCancel && useFrame().refusalOf(cancel) === undefined ? (
        <Form action={cancel}>
          <p class="hint">If you cancel, what was copied is deleted and the documents stay where they are.</p>
          <SubmitRow button="Cancel the move" look={null} />
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
