import { toDocumentAnswer } from "#client-api/document-answer.ts";
import { defineTool } from "#mcp/tool.ts";
import { ApiError } from "#protocol/errors.ts";
import { readable } from "#documents/words.ts";
import * as v from "valibot";
import { toMetadata } from "./metadata.ts";

/** Like `search`, in exactly the shape that ChatGPT's company knowledge and deep research ask for. */
export const fetchTool = defineTool({
  name: "fetch",
  title: "Read a document",
  description:
    "Reads the full text of one document by its id from search or search_documents. Cite its url when you use it.",
  scope: "DOCUMENTS",
  input: v.strictObject({
    id: v.pipe(v.string(), v.maxLength(300), v.description("The id of a result from search or search_documents")),
  }),
  output: v.object({
    id: v.string(),
    title: v.string(),
    text: v.string(),
    url: v.string(),
    metadata: v.optional(v.record(v.string(), v.string())),
  }),
  async run({ id }, { policy, caller, services }) {
    const asked = { documentSpecs: [{ id }], includeFields: ["DOCUMENT_CONTENT", "CUSTOM_METADATA"] };
    const page = await services.getDocuments.get(policy.instanceId, caller.personId, asked);
    const document = page.entries[0]?.document;
    if (!document) {
      throw new ApiError("not_found", {
        reason: "document_absent",
        description:
          "There is no document with this id, or this person may not see it. Search again, and use an id exactly as in the results.",
      });
    }
    const described = await toDocumentAnswer(document, services.authorIds.of(policy.instanceId));
    const { title, url } = described;
    return { id, title, text: readable(document.content ?? ""), url, metadata: toMetadata(described) };
  },
});
