import type { MaintenanceRun } from "#maintenance/maintenance.d1.ts";
import type { DeliveryState } from "#audit/audit-delivery.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { Clock } from "#platform/clock.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import type { Discovered } from "#single-sign-on/connection-check.ts";
import { checkDocuments } from "./documents.ts";
import type { Finding } from "#platform/finding.ts";
import { checkFoundations } from "./foundations.ts";
import { type Ask, checkFromOutside } from "./outside.ts";
import { checkExternalIssuers, checkSingleSignOns } from "./providers.ts";

/** The doctor's findings in groups, from the outside of the service to its inside. */
export interface Diagnosis {
  readonly outside: readonly Finding[];
  readonly providers: readonly Finding[];
  readonly documents: readonly Finding[];
  readonly foundations: readonly Finding[];
}

/** What the doctor needs in addition to HTTP requests to the instance. */
export interface DoctorTools {
  readonly database: { read(): Promise<unknown> };
  readonly cache: { echo(word: string): Promise<string | null> };
  /** Makes tokens for internal paths that only commands may call. */
  readonly commandTokens: { make(instance: string, origin: string, path: string): Promise<string> };
  readonly keyring: Keyring;
  readonly signingKeys: { isUsable(instanceId: number): Promise<boolean | null> };
  readonly auditDelivery: { state(instanceId: number): Promise<DeliveryState | null> };
  readonly maintenance: { last(): Promise<MaintenanceRun | null> };
  readonly checkIssuer: (issuer: ExternalIssuer) => Promise<readonly Finding[]>;
  readonly discoverSingleSignOn: (issuer: string) => Promise<Discovered>;
  /** Fetches URLs that administrators chose, and returns redirects instead of following them. */
  readonly fetchDocument: OutgoingFetch;
  /** The header that announces an identity provider's token. */
  readonly authTypeHeader: string;
}

/** Checks an instance, from its outside to its inside. */
export class Doctor {
  readonly #tools: DoctorTools;
  readonly #clock: Clock;

  constructor(tools: DoctorTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  /**
   * @param origin the instance's own origin
   * @param ask sends requests to that origin: over the network, or in this process
   */
  async examine(policy: PolicySnapshot, origin: string, ask: Ask): Promise<Diagnosis> {
    const { auditDelivery, cache, commandTokens, database, checkIssuer, keyring } = this.#tools;
    const { authTypeHeader, maintenance, signingKeys } = this.#tools;
    const { externalIssuers, instanceId, name, singleSignOns } = policy;
    const [outside, sso, issuers, documents, foundations] = await Promise.all([
      checkFromOutside(origin, ask, this.#clock),
      checkSingleSignOns(singleSignOns, origin, this.#tools, this.#clock),
      checkExternalIssuers(externalIssuers.values(), checkIssuer),
      checkDocuments(origin, ask, (path) => commandTokens.make(name, origin, path), this.#clock),
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
          authTypeHeader,
        },
        this.#clock,
      ),
    ]);
    return { outside, providers: [...sso, ...issuers], documents, foundations };
  }
}

export function count(diagnosis: Diagnosis, verdict: Finding["verdict"]): number {
  return Object.values(diagnosis)
    .flat()
    .filter((finding: Finding) => finding.verdict === verdict).length;
}
