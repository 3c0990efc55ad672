import type { Operation } from "./operation.ts";
import type { ClientApiRoute } from "#resource-server/authorization/route-scopes.ts";
import * as v from "valibot";
import { requestSchema as documentsRequest } from "#client-api/documents/get-documents.ts";
import { requestSchema as chatRequest } from "#client-api/chat/question.ts";
import { requestSchema as searchRequest } from "#client-api/search/request.ts";

const customDatum = v.union([
  v.object({ stringValue: v.string() }),
  v.object({ stringListValue: v.array(v.string()) }),
]);

/** Clients expect both members of an author or neither. */
const author = v.object({ name: v.string(), obfuscatedId: v.string() });

const time = v.pipe(v.string(), v.isoTimestamp());

const documentEntries = {
  id: v.string(),
  datasource: v.string(),
  docType: v.string(),
  title: v.string(),
  url: v.string(),
  metadata: v.object({
    datasource: v.string(),
    objectType: v.string(),
    createTime: v.optional(time),
    updateTime: v.optional(time),
    author: v.optional(author),
    customData: v.optional(v.record(v.string(), customDatum)),
  }),
};

const index = v.pipe(v.number(), v.integer(), v.minValue(0));

const searchAnswer = v.object({
  results: v.array(
    v.object({
      url: v.string(),
      title: v.string(),
      document: v.object(documentEntries),
      snippets: v.array(
        v.object({
          text: v.string(),
          ranges: v.array(v.object({ startIndex: index, endIndex: index, type: v.literal("BOLD") })),
        }),
      ),
      similarResults: v.optional(index),
    }),
  ),
  facetResults: v.optional(
    v.array(
      v.object({
        sourceName: v.string(),
        operatorName: v.picklist(["SelectSingle", "SelectMultiple"]),
        buckets: v.array(v.object({ count: index, value: v.object({ stringValue: v.string() }) })),
        hasMoreBuckets: v.boolean(),
      }),
    ),
  ),
  totalResults: v.optional(v.object({ count: index, isExact: v.boolean() })),
  cursor: v.optional(v.string()),
  hasMoreResults: v.boolean(),
  trackingToken: v.string(),
  requestID: v.string(),
  backendTimeMillis: v.number(),
  metadata: v.object({
    searchedQuery: v.string(),
    pageSize: v.optional(index),
    maxSnippetSize: v.optional(index),
    facetBucketSize: v.optional(index),
    missingWords: v.optional(v.array(v.string())),
    correctedWords: v.optional(v.array(v.object({ typed: v.string(), found: v.string() }))),
  }),
});

const chatAnswer = v.object({
  messages: v.array(
    v.object({
      author: v.string(),
      messageType: v.literal("CONTENT"),
      messageId: v.string(),
      fragments: v.array(v.object({ text: v.string() })),
      citations: v.array(v.object({ sourceDocument: v.object(documentEntries) })),
    }),
  ),
  chatId: v.string(),
  backendTimeMillis: v.number(),
});

const documentsAnswer = v.object({
  documents: v.record(
    v.string(),
    v.union([
      v.object({
        ...documentEntries,
        content: v.optional(
          v.object({
            fullTextList: v.array(v.string()),
            offset: index,
            totalLength: index,
          }),
        ),
      }),
      v.object({ error: v.string() }),
    ]),
  ),
});

/** Descriptions of the Client API's calls. A route of the gate without one is a type error. */
export const CLIENT_API_OPERATIONS: Readonly<Record<ClientApiRoute, Operation>> = {
  "POST /rest/api/v1/search": {
    summary: "Search as the signed-in user",
    description:
      'Finds documents that the person may see. `query` takes words, `"exact phrases"`, `-unwanted` words and operators such as ' +
      "`status:approved`; values of one field are OR, fields are AND.",
    request: searchRequest,
    answer: searchAnswer,
    refusals: [422],
  },
  "POST /rest/api/v1/chat": {
    summary: "Ask a question as the signed-in user",
    description:
      "Answers the person's newest message with passages from documents that they may see, the best sentence first. `[1]` in " +
      "the text is the first of `citations`. With `stream`, the response is `text/plain` with one such object per line: join the " +
      "fragments and the citations of all lines.",
    request: chatRequest,
    answer: chatAnswer,
    isStreamed: true,
  },
  "POST /rest/api/v1/getdocuments": {
    summary: "Read documents by id or URL",
    description:
      "A document that the person may not see gets the same response as one that does not exist. With `contentPart`, only a part of each " +
      "text is returned.",
    request: documentsRequest,
    answer: documentsAnswer,
  },
};
