import { toDocumentAnswer } from "#client-api/document-answer.ts";
import { defineTool } from "#mcp/tool.ts";
import { ApiError } from "#protocol/errors.ts";
import { readable } from "#documents/words.ts";
import * as v from "valibot";
import { toMetadata } from "./metadata.ts";

/**
 * Reads a document. Like those of `search`, results have exactly the shape that ChatGPT's company knowledge and deep research
 * require.
 */
export const fetchTool = defineTool({
  name: "fetch",
  title: "Read a document",
  description:
    "Reads the full text of one document by its id from search or search_documents, or by its URL. Cite its url when you use it.",
  scope: "DOCUMENTS",
  input: v.strictObject({
    id: v.pipe(
      v.string(),
      v.maxLength(2000),
      v.description("The id of a result from search or search_documents, or the URL of a document"),
    ),
  }),
  async run({ id: given }, { policy, caller, services }) {
    const asked = { documentSpecs: specsOf(given), includeFields: ["DOCUMENT_CONTENT", "CUSTOM_METADATA"] };
    const page = await services.getDocuments.get(policy.instanceId, caller.personId, asked);
    const document = page.entries.find((entry) => entry.document)?.document;
    if (!document) {
      throw new ApiError("not_found", {
        reason: "document_absent",
        description:
          "There is no document with this id or URL, or this person may not see it. Search again, and use an id exactly as in the results.",
      });
    }
    const described = await toDocumentAnswer(document, services.authorIds.of(policy.instanceId));
    const { id, title, url } = described;
    return { id, title, text: readable(document.content ?? ""), url, metadata: toMetadata(described) };
  },
});

/** Also looks up a URL without its fragment: if a person copied it from a browser, it may name a part of the page. */
function specsOf(given: string): readonly Readonly<Record<string, string>>[] {
  const [page = ""] = given.split("#");
  return /^https?:/.test(given) ? [{ url: given }, { url: page }] : [{ id: given }];
}
