import type { MaintenanceRun } from "#maintenance/maintenance.d1.ts";
import type { DeliveryState } from "#audit/audit-delivery.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { Clock } from "#platform/clock.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import type { Discovered } from "#single-sign-on/connection-check.ts";
import { checkDocuments, type CheckedDocuments } from "./documents.ts";
import type { Finding } from "#platform/finding.ts";
import { checkFoundations } from "./foundations.ts";
import { checkExternalIssuers, checkSingleSignOns } from "./providers.ts";

/** The doctor's findings in groups. */
export interface Diagnosis {
  readonly providers: readonly Finding[];
  readonly documents: readonly Finding[];
  readonly foundations: readonly Finding[];
}

export interface DoctorTools {
  readonly database: { read(): Promise<unknown> };
  readonly cache: { echo(word: string): Promise<string | null> };
  readonly documents: CheckedDocuments;
  readonly keyring: Keyring;
  readonly signingKeys: { isUsable(instanceId: number): Promise<boolean | null> };
  readonly auditDelivery: { state(instanceId: number): Promise<DeliveryState | null> };
  readonly maintenance: { last(): Promise<MaintenanceRun | null> };
  readonly checkIssuer: (issuer: ExternalIssuer) => Promise<readonly Finding[]>;
  readonly discoverSingleSignOn: (issuer: string) => Promise<Discovered>;
  /** Fetches URLs that administrators chose, and returns redirects instead of following them. */
  readonly fetchDocument: OutgoingFetch;
}

/**
 * Checks an instance from its inside. What apps and browsers get depends on what is in front of the Worker, so only a command on another
 * machine can check that.
 */
export class Doctor {
  readonly #tools: DoctorTools;
  readonly #clock: Clock;

  constructor(tools: DoctorTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  /** @param origin the instance's own origin */
  async examine(policy: PolicySnapshot, origin: string): Promise<Diagnosis> {
    const { auditDelivery, cache, checkIssuer, database, documents, keyring } = this.#tools;
    const { maintenance, signingKeys } = this.#tools;
    const { externalIssuers, instanceId, name, singleSignOns } = policy;
    const [sso, issuers, ofDocuments, foundations] = await Promise.all([
      checkSingleSignOns(singleSignOns, origin, this.#tools, this.#clock),
      checkExternalIssuers(externalIssuers.values(), checkIssuer),
      checkDocuments(documents, policy, this.#clock),
      checkFoundations(
        {
          readDatabase: () => database.read(),
          cacheEcho: (word) => cache.echo(word),
          openSingleSignOns: async () => {
            const purpose = singleSignOnPurpose(name);
            await Promise.all(singleSignOns.map((each) => keyring.open(purpose, each.sealedClientSecret)));
            return singleSignOns.length;
          },
          openSigningKey: () => signingKeys.isUsable(instanceId),
          lastMaintenance: () => maintenance.last(),
          auditDelivery: () => auditDelivery.state(instanceId),
        },
        this.#clock,
      ),
    ]);
    return { providers: [...sso, ...issuers], documents: ofDocuments, foundations };
  }
}
