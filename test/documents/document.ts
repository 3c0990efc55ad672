import type { IndexableDocument } from "#documents/engine.ts";

export const DATASOURCE = "world";

/** Makes a document for tests. Whatever is not given is as short as possible. */
export function aDocument(externalId: string, more: Partial<IndexableDocument> = {}): IndexableDocument {
  return {
    datasource: DATASOURCE,
    externalId,
    objectType: "Page",
    title: `Document ${externalId}`,
    body: "",
    summary: null,
    url: `https://world.example/${externalId}`,
    authorName: null,
    authorEmail: null,
    createdAt: null,
    updatedAt: null,
    tags: [],
    keywords: "",
    principals: [{ kind: "everyone", datasource: "", name: "" }],
    ...more,
  };
}
