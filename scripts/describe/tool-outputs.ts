import * as v from "valibot";

/** The members of a document that a search found. `id` is what `fetch` takes, `url` what people are shown. */
const foundEntries = {
  id: v.pipe(v.string(), v.description("Pass it to fetch to read the document")),
  title: v.string(),
  url: v.pipe(v.string(), v.description("Where a person opens the document: cite it")),
  text: v.pipe(v.string(), v.description("The passage that matches")),
  similar_results: v.optional(
    v.pipe(
      v.number(),
      v.description("How many nearly identical documents were left out; similar_to of search_documents lists them"),
    ),
  ),
};

/** What a search says about all its results. */
const searchEntries = {
  total_results: v.optional(
    v.pipe(
      v.object({ count: v.number(), is_exact: v.boolean() }),
      v.description("How many documents have all words of the query or, if these don't fill a page, some of them"),
    ),
  ),
  missing_words: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description(
        "Words of the query that some results on this page don't contain; if there are none, also operators such as from:ada that find nothing",
      ),
    ),
  ),
  corrected_words: v.optional(
    v.pipe(
      v.array(v.object({ typed: v.string(), found: v.string() })),
      v.description("Words of the query that no document contains, and the spelling that was searched for instead"),
    ),
  ),
};

/**
 * Schemas of the tools' results, by tool name, for the descriptions that hosts get. The Worker doesn't need them, because it
 * builds its results from these members.
 */
export const OUTPUTS: Readonly<Record<string, v.GenericSchema>> = {
  search: v.object({
    results: v.array(v.object({ ...foundEntries, author: v.optional(v.string()), updated_at: v.optional(v.string()) })),
    ...searchEntries,
  }),
  fetch: v.object({
    id: v.string(),
    title: v.string(),
    text: v.pipe(v.string(), v.description("A part of the document's text, between two marks")),
    url: v.string(),
    offset: v.pipe(v.number(), v.description("Where this part begins, in characters")),
    total_length: v.pipe(v.number(), v.description("How many characters the whole text has")),
    next_offset: v.optional(v.pipe(v.number(), v.description("The offset of the next part; absent at the end"))),
    metadata: v.optional(v.record(v.string(), v.string())),
  }),
  search_documents: v.object({
    results: v.array(v.object({ ...foundEntries, metadata: v.record(v.string(), v.string()) })),
    facets: v.optional(
      v.array(
        v.object({
          field: v.string(),
          values: v.array(v.object({ value: v.string(), count: v.number() })),
          has_more: v.boolean(),
        }),
      ),
    ),
    ...searchEntries,
    next_cursor: v.optional(v.pipe(v.string(), v.description("Absent on the last page"))),
  }),
  chat: v.object({
    answer: v.string(),
    citations: v.array(v.object({ id: v.string(), title: v.string(), url: v.string() })),
  }),
  whoami: v.object({ id: v.string(), name: v.optional(v.string()), email: v.optional(v.string()) }),
};
