import type { DeliveryState } from "#audit/audit-delivery.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { MaintenanceRun } from "#maintenance/maintenance.ts";
import type { Clock } from "#platform/clock.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import type { Discovered } from "#single-sign-on/connection-check.ts";
import { checkDocuments } from "./documents.ts";
import type { Finding } from "#platform/finding.ts";
import { checkFoundations } from "./foundations.ts";
import { type Ask, checkFromOutside } from "./outside.ts";
import { checkExternalIssuers, checkSingleSignOn } from "./providers.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";

/** Findings in groups, from outside in. */
export interface Diagnosis {
  readonly outside: readonly Finding[];
  readonly providers: readonly Finding[];
  readonly documents: readonly Finding[];
  readonly foundations: readonly Finding[];
}

/** What the doctor looks at beyond HTTP. */
export interface DoctorTools {
  readonly database: { tables(): Promise<readonly string[]> };
  readonly cache: { echo(word: string): Promise<string | null> };
  /** For an address that only commands may ask. */
  readonly commandTokens: { make(instance: string, origin: string, path: string): Promise<string> };
  readonly keyring: Keyring;
  readonly signingKeys: { isUsable(instanceId: number): Promise<boolean | null> };
  readonly auditDelivery: { state(instanceId: number): Promise<DeliveryState | null> };
  readonly maintenance: { last(): Promise<MaintenanceRun | null> };
  readonly checkIssuer: (issuer: ExternalIssuer) => Promise<readonly Finding[]>;
  readonly discoverSingleSignOn: (issuer: string) => Promise<Discovered>;
  /** Fetches of what administrators chose; one that gives redirects as answers. */
  readonly fetchDocument: OutgoingFetch;
  /** The bindings of rate limits that are not there. */
  readonly missingRateLimits: readonly string[];
}

/** Checks an instance from outside in. */
export class Doctor {
  readonly #tools: DoctorTools;
  readonly #clock: Clock;

  constructor(tools: DoctorTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  /**
   * @param origin the instance's own address
   * @param ask how that address is asked: over the network, or in this process
   * @param place whose bindings these are: a command's are not the Worker's
   */
  async examine(policy: PolicySnapshot, origin: string, ask: Ask, place: "worker" | "command"): Promise<Diagnosis> {
    const { auditDelivery, cache, commandTokens, database, checkIssuer, keyring } = this.#tools;
    const { maintenance, missingRateLimits, signingKeys } = this.#tools;
    const { externalIssuers, instanceId, name, singleSignOn } = policy;
    const [outside, sso, issuers, documents, foundations] = await Promise.all([
      checkFromOutside(origin, ask, this.#clock),
      checkSingleSignOn(singleSignOn, origin + ENDPOINTS.callback, this.#tools, this.#clock),
      checkExternalIssuers(externalIssuers.values(), checkIssuer),
      checkDocuments(origin, ask, (path) => commandTokens.make(name, origin, path), this.#clock),
      checkFoundations(
        {
          tables: () => database.tables(),
          cacheEcho: (word) => cache.echo(word),
          openSingleSignOn: async () => {
            if (!singleSignOn) return null;
            await keyring.open(singleSignOnPurpose(name), singleSignOn.sealedClientSecret);
            return true;
          },
          openSigningKey: () => signingKeys.isUsable(instanceId),
          lastMaintenance: () => maintenance.last(),
          auditDelivery: () => auditDelivery.state(instanceId),
          missingRateLimits: place === "worker" ? missingRateLimits : undefined,
        },
        this.#clock,
      ),
    ]);
    return { outside, providers: [...sso, ...issuers], documents, foundations };
  }
}

/** How many findings of a diagnosis have a verdict. */
export function count(diagnosis: Diagnosis, verdict: Finding["verdict"]): number {
  return Object.values(diagnosis)
    .flat()
    .filter((finding: Finding) => finding.verdict === verdict).length;
}
