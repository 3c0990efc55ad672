import { isoTime } from "#platform/clock.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { defineTool } from "#mcp/tool.ts";
import * as v from "valibot";
import { PASSAGE_CHARACTERS, toFound, toSummary } from "./found.ts";

/**
 * Searches. Results have the shape that ChatGPT's company knowledge and deep research require, which allows more members
 * (developers.openai.com/api/docs/mcp).
 */
export const searchTool = defineTool({
  name: "search",
  title: "Search documents",
  description:
    "Searches the organisation's documents that the signed-in person may see, best first. Takes a question or keywords in the person's " +
    'own words; "exact phrases", -unwanted words and field:value also work. Use fetch to read the documents that you rely on.',
  scope: "SEARCH",
  input: v.strictObject({
    query: v.pipe(v.string(), v.maxLength(2000), v.description("What to look for, in words or as a question")),
  }),
  async run({ query }, { policy, caller, services }) {
    const asked = { query, maxSnippetSize: PASSAGE_CHARACTERS };
    const page = await services.search.search(policy, caller, asked);
    return { results: page.documents.map(toResult), ...toSummary(page) };
  },
});

/**
 * Adds the author, and the date by which a model tells the latest of several documents: otherwise, it would have to fetch each.
 */
function toResult(found: FoundDocument) {
  const { authorName, updatedAt } = found;
  return {
    ...toFound(found),
    ...(authorName === null ? {} : { author: authorName }),
    ...(updatedAt === null ? {} : { updated_at: isoTime(updatedAt) }),
  };
}
