import { describe, expect, it } from "vitest";
import { isQuestion } from "#search-page/question.ts";

const asks = (query: string) => isQuestion({ query, filters: [], since: undefined, like: undefined, cursors: [] });

describe("a search that is a question", () => {
  it.each(["How do I rotate the key", "wie lange ist die Frist", "holiday rules?", "Kann ich Urlaub mitnehmen?"])(
    "is recognised: %s",
    (query) => {
      expect(asks(query)).toBe(true);
    },
  );

  it.each(["", "?", "what", "who is", "Whatsapp for work", "rotate key", "iso 9001 audit"])(
    "is not taken for one: %s",
    (query) => {
      expect(asks(query)).toBe(false);
    },
  );
});
