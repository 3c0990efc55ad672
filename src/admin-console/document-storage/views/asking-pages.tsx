import { AskingPage } from "#pages/views/asking-page.tsx";
import { type ConsoleFrame, Moment } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";

const SECTION = "/admin/document-storage";

/** Asks before documents move to more or fewer objects. */
export function MovePage(props: {
  readonly frame: ConsoleFrame;
  readonly from: string;
  readonly to: string;
  readonly documents: number;
}) {
  const { frame, from, to, documents } = props;
  return (
    <AskingPage
      frame={frame}
      section={SECTION}
      title="Move the documents?"
      action={`${SECTION}/move`}
      button="Move the documents"
      back={SECTION}
      fields={{ engine: to }}
    >
      <ul>
        <li>
          {counted(documents, "document")} are copied from {from} to {to}.
        </li>
        <li>
          Searches and uploads keep working. Only during the last seconds, uploads get 503 with Retry-After, and
          pipelines send them again.
        </li>
        <li>Before the switch, the documents on both sides are counted. If the counts differ, nothing is switched.</li>
        <li>
          The old documents are kept for seven days, and then deleted. You can cancel until the switch, and move back
          after it.
        </li>
      </ul>
    </AskingPage>
  );
}

/** Asks before the documents are deleted where they were moved from. */
export function EraseOldPage(props: {
  readonly frame: ConsoleFrame;
  readonly move: { readonly from: string; readonly to: string; readonly changedAt: number };
}) {
  const { from, to, changedAt } = props.move;
  return (
    <AskingPage
      frame={props.frame}
      section={SECTION}
      title="Delete the old documents?"
      action={`${SECTION}/erase-old`}
      button="Delete the old documents"
      back={SECTION}
    >
      <ul>
        <li>
          The documents as they were at <Moment at={changedAt} /> are still in {from}. They are deleted there now, and
          not after seven days. You can’t undo this.
        </li>
        <li>The documents in {to} stay, and searches don’t change.</li>
      </ul>
    </AskingPage>
  );
}
