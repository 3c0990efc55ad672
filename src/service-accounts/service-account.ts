import type { ClientKeys } from "#clients/client-keys.ts";
import { type ClientProof, proofOfKeys } from "#clients/client.ts";
import { isDocumentUrl } from "#clients/document-clients.ts";
import { sha256 } from "#crypto/secrets.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { foldName } from "#protocol/folding.ts";
import { API_SCOPES, type Scope } from "#protocol/scopes.ts";
import type { WorkloadRule } from "./workload-rule.ts";

/**
 * How a machine proves itself: by its own keys; by its platform's tokens; or as the app that a client metadata document describes, by
 * the keys that the document names.
 */
export type MachineProof =
  | { readonly keys: ClientKeys }
  | { readonly workload: WorkloadRule }
  | { readonly client: string };

/** The properties of a machine that an administrator sets. */
export interface ServiceAccountDraft {
  /** Lower-case letters, digits and hyphens; never changes. */
  readonly name: string;
  /** The directory groups whose documents it may see, as permissions name them. */
  readonly groups: readonly string[];
  readonly scopes: readonly Scope[];
  readonly proof: MachineProof;
}

export interface ServiceAccount extends ServiceAccountDraft {
  /** Its client id, and the `sub` of its tokens. */
  readonly id: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly lastUsedAt: number | null;
  readonly isDisabled: boolean;
}

/** The most service accounts of an instance: more than an organisation has machines that search. Each takes a row of `people`. */
export const SERVICE_ACCOUNTS_MAX = 200;

const GROUPS_MAX = 100;
const GROUP_CHARACTERS_MAX = 500;

/** Returns a machine's name in the audit and in lists, stored in place of an email. It is never a valid address. */
export function machineName(name: string): string {
  return `service-account:${name}`;
}

/** Returns the value that the statement of a grant compares, so that credentials that are being replaced no longer work. */
export async function proofOfMachine(proof: MachineProof): Promise<ClientProof> {
  if ("keys" in proof) return proofOfKeys(proof.keys);
  // The app signs with a key. The client of the account has none, so nobody else's assertion gives this proof.
  if ("client" in proof) return `keys:${await sha256(JSON.stringify(proof))}` as ClientProof;
  return `workload:${await sha256(JSON.stringify(proof.workload))}` as ClientProof;
}

/**
 * Validates everything about a machine except its credentials.
 *
 * @throws {AdministrationRefused} naming the member that has to change
 */
export function readAccount({ name, groups, scopes, proof }: ServiceAccountDraft): ServiceAccountDraft {
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
    throw new AdministrationRefused("The name has 1 to 40 lower-case letters, digits and hyphens", "name");
  }
  const known = [...new Set(groups.map((group) => foldName(group.trim())).filter((group) => group !== ""))];
  if (known.length > GROUPS_MAX || known.some((group) => group.length > GROUP_CHARACTERS_MAX)) {
    throw new AdministrationRefused(
      `At most ${GROUPS_MAX} groups, each of at most ${GROUP_CHARACTERS_MAX} characters`,
      "groups",
    );
  }
  const given = API_SCOPES.filter((scope) => scopes.includes(scope));
  if (given.length === 0 || given.length !== new Set(scopes).size) {
    throw new AdministrationRefused(`Select at least one scope out of ${API_SCOPES.join(", ")}`, "scopes");
  }
  if ("client" in proof && !isDocumentsUrl(proof.client)) {
    throw new AdministrationRefused(
      "Enter the https URL of the app's metadata document, which is its client id",
      "client",
    );
  }
  return { name, groups: known, scopes: given, proof };
}

function isDocumentsUrl(client: string): boolean {
  return isDocumentUrl(client) && URL.canParse(client) && new URL(client).href === client;
}
