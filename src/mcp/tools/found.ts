import * as v from "valibot";

/** What search tells of a document that it found; `id` is what fetch takes, `url` what people are shown. */
export const foundEntries = {
  id: v.pipe(v.string(), v.description("Pass it to fetch to read the document")),
  title: v.string(),
  url: v.pipe(v.string(), v.description("Where a person opens the document: cite it")),
  text: v.pipe(v.string(), v.description("The passage that matches")),
};

interface Result {
  readonly url: string;
  readonly title: string;
  readonly document: { readonly id: string };
  readonly snippets: readonly { readonly text: string }[];
}

/** A result of the Client API's search, as far as every tool tells of it. */
export function toFound({ url, title, document, snippets }: Result) {
  return { id: document.id, title, url, text: snippets.map(({ text }) => text).join(" … ") };
}
