import type { SampleDocument } from "../../../scripts/local/sample.ts";

/** One document for each way to share a document. All of them contain the words that tests and the demonstration search for. */
export const documents: readonly SampleDocument[] = [
  document("handbook", "Handbook for everybody", { allowAnonymousAccess: true }),
  document("runbook", "Runbook of engineering", { allowedGroups: ["engineering"] }),
  document("budget", "Budget of finance", { allowedGroups: ["finance"] }),
  document("letter", "Letter to Farid alone", { allowedUsers: [{ email: "farid@acme.example" }] }),
  document("draft", "Draft that nobody may see", {}),
];

function document(id: string, title: string, permissions: SampleDocument["permissions"]): SampleDocument {
  return {
    datasource: "handbook",
    objectType: "Page",
    id,
    title,
    viewURL: `https://docs.acme.example/${id}`,
    body: {
      mimeType: "text/plain",
      textContent: `${title}. Every page of this organisation mentions a token, a policy and BrightMarket.`,
    },
    createdAt: 1_750_000_000,
    updatedAt: 1_760_000_000,
    tags: [],
    permissions,
  };
}
