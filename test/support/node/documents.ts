import { DATASOURCE, type CorpusDocument } from "../../../scripts/local/corpus.ts";

/** One document for each way to share a document. All of them contain the word "token". */
export const documents: readonly CorpusDocument[] = [
  document("handbook", "Handbook for everybody", { allowAnonymousAccess: true }),
  document("runbook", "Runbook of engineering", { allowedGroups: ["engineering"] }),
  document("budget", "Budget of finance", { allowedGroups: ["finance"] }),
  document("letter", "Letter to Farid alone", { allowedUsers: [{ email: "farid@acme.example" }] }),
  document("draft", "Draft that nobody may see", {}),
];

function document(id: string, title: string, permissions: CorpusDocument["permissions"]): CorpusDocument {
  return {
    datasource: DATASOURCE,
    objectType: "Page",
    id,
    title,
    viewURL: `https://docs.acme.example/${id}`,
    body: { mimeType: "text/plain", textContent: `${title}. Every page of this organisation mentions a token.` },
    createdAt: 1_750_000_000,
    updatedAt: 1_760_000_000,
    tags: [],
    permissions,
  };
}
