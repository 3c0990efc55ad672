import type { Question } from "#pages/views/asking-page.tsx";
import { counted } from "#pages/views/count.ts";
import type { IssuerShown } from "./issuers-page.tsx";

/** Asks before a provider is disabled. */
export function disableIssuerQuestion(issuer: IssuerShown): Question {
  const kept = "Its configuration is kept. If you enable it again, tokens that haven’t expired work again.";
  return { ...about(issuer, kept), title: `Disable ${issuer.name}?` };
}

/** Asks before a provider is removed. */
export function removeIssuerQuestion(issuer: IssuerShown): Question {
  const removed = "Its configuration is removed; the audit log keeps a record of it.";
  return { ...about(issuer, removed), title: `Remove ${issuer.name}?` };
}

function about({ issuer, clients, isDisabled, query }: IssuerShown, configuration: string) {
  const applications = counted(clients, "application");
  return {
    fields: { issuer },
    back: `/admin/issuers/issuer?${query}`,
    words: [
      isDisabled
        ? `Nothing changes for ${applications}: the provider is disabled already.`
        : `Within 10 seconds the tokens that ${applications} got from ${issuer} are refused.`,
      configuration,
      "People who were created through it stay, and see the same documents. Sign-in is not affected.",
    ],
  };
}
