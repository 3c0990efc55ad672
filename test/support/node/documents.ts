import type { Permissions } from "../../../clients/push/permissions.ts";
import { Service, type SentDocument } from "../../../clients/push/sync/service.ts";
import type { PushTarget } from "../../../scripts/local/push-folder.ts";

/** One document for each way to share a document. All of them contain the words that tests and the demonstration search for. */
export const documents: readonly SentDocument[] = [
  document("handbook", "Handbook for everybody", { allowAnonymousAccess: true }),
  document("runbook", "Runbook of engineering", { allowedGroups: ["engineering"] }),
  document("budget", "Budget of finance", { allowedGroups: ["finance"] }),
  document("letter", "Letter to Farid alone", { allowedUsers: [{ email: "farid@acme.example" }] }),
  document("draft", "Draft that nobody may see", {}),
];

function document(id: string, title: string, permissions: Permissions): SentDocument {
  return {
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
    contentHash: id,
    permissions,
  };
}

/** Sends the documents, as a pipeline would. */
export async function indexDocuments({ origin, token, fetch }: PushTarget): Promise<void> {
  await new Service({ url: origin, token, fetch, datasource: "handbook" }).put(documents);
}
