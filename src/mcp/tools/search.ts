import { defineTool } from "#mcp/tool.ts";
import * as v from "valibot";
import { foundEntries, toFound } from "./found.ts";

/** In exactly the shape that ChatGPT's company knowledge and deep research ask for (developers.openai.com/api/docs/mcp). */
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
  output: v.object({ results: v.array(v.object(foundEntries)) }),
  async run({ query }, { policy, caller, services }) {
    const { documents } = await services.search.search(policy, caller.personId, { query });
    return { results: documents.map(toFound) };
  },
});
