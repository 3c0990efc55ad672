import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { Finding } from "#platform/finding.ts";
import { checkDocuments, type CheckedDocuments } from "./documents.ts";
import { checkFoundations, type Foundations } from "./foundations.ts";
import { checkExternalIssuers, checkSingleSignOns, type ProviderTools } from "./providers.ts";

/** The doctor's findings in groups. */
export interface Diagnosis {
  readonly providers: readonly Finding[];
  readonly documents: readonly Finding[];
  readonly foundations: readonly Finding[];
}

export interface DoctorTools extends Foundations, ProviderTools {
  readonly documents: CheckedDocuments;
  readonly checkIssuer: (issuer: ExternalIssuer) => Promise<readonly Finding[]>;
}

export type Doctor = ReturnType<typeof createDoctor>;

/**
 * Checks an instance from its inside. What apps and browsers get depends on what is in front of the Worker, so only a command on another
 * machine can check that.
 */
export function createDoctor(tools: DoctorTools) {
  return {
    /** @param origin the instance's own origin */
    async examine(policy: PolicySnapshot, origin: string): Promise<Diagnosis> {
      const [ssos, issuers, documents, foundations] = await Promise.all([
        checkSingleSignOns(policy.singleSignOns, origin, tools),
        checkExternalIssuers(policy.externalIssuers.values(), tools.checkIssuer),
        checkDocuments(tools.documents, policy),
        checkFoundations(tools, policy),
      ]);
      return { providers: [...ssos, ...issuers], documents, foundations };
    },
  };
}
