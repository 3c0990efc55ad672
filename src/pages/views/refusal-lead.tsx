import type { RefusalText } from "#messages/locale.ts";
import { sentence } from "./fields.tsx";

/** What happened, and what to do. A text that is only for the app's developer is quoted in English. */
export function RefusalLead({ text, quoted }: RefusalText) {
  return (
    <>
      <p class="lead">{sentence(text)}</p>
      {quoted === undefined ? null : (
        <p lang="en" dir="ltr">
          {sentence(quoted)}
        </p>
      )}
    </>
  );
}
