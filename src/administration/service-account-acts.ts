import type { D1ServiceAccounts } from "#service-accounts/service-accounts.d1.ts";
import { randomId } from "#crypto/secrets.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import {
  readAccount,
  SERVICE_ACCOUNTS_MAX,
  type ServiceAccount,
  type ServiceAccountDraft,
} from "#service-accounts/service-account.ts";
import { readWorkloadRule } from "#service-accounts/workload-rule.ts";
import { Acts } from "./acts.ts";

export class ServiceAccountActs extends Acts<{ readonly store: D1ServiceAccounts }> {
  /**
   * Creates a service account.
   *
   * @throws {AdministrationRefused} if the name is taken, if there are too many accounts, and for whatever `readAccount` and
   *   `readWorkloadRule` refuse
   */
  async create(draft: ServiceAccountDraft): Promise<ServiceAccount> {
    const account = read(draft);
    const id = randomId();
    const entry = this.entry("service_account_created", { id, ...account });
    if (await this.concluded(await this.parts.store.create(id, account, entry))) {
      return this.#require(id);
    }
    throw new AdministrationRefused(
      `There is a service account ${account.name} already, or there are ${SERVICE_ACCOUNTS_MAX}`,
      "name",
    );
  }

  /**
   * Changes the groups, scopes or proof of an account. Existing tokens lose groups and scopes within the age of a policy snapshot.
   *
   * @param seen the account as the administrator saw it
   * @throws {AdministrationRefused} as `create` does, and if somebody else has changed it since
   */
  async change(seen: ServiceAccount, changes: Partial<Omit<ServiceAccountDraft, "name">>): Promise<ServiceAccount> {
    const { name, groups, scopes, proof } = seen;
    const before = { name, groups, scopes, proof };
    const after = read({ ...before, ...changes });
    if (JSON.stringify(after) === JSON.stringify(before)) return seen;
    const entry = this.entry("service_account_changed", { id: seen.id, before, after: { ...after } });
    if (await this.concluded(await this.parts.store.change(seen, after, entry))) {
      return this.#require(seen.id);
    }
    throw new AdministrationRefused("Somebody else changed this service account: reload it, then try again");
  }

  /**
   * Disables an account: its tokens are refused within the age of a policy snapshot.
   *
   * @returns whether it was enabled
   */
  async disable(id: string): Promise<boolean> {
    const entry = this.entry("service_account_disabled", { id });
    return this.concluded(await this.parts.store.disable(id, entry));
  }

  /** Enables a disabled account. @returns whether it was disabled */
  async enable(id: string): Promise<boolean> {
    const entry = this.entry("service_account_enabled", { id });
    return this.concluded(await this.parts.store.enable(id, entry));
  }

  /** Deletes an account and ends its tokens, as disabling does. @returns whether there was one */
  async remove(id: string): Promise<boolean> {
    const name = (await this.parts.store.find(this.instance.id, id))?.name ?? "";
    const entry = this.entry("service_account_removed", { id, name });
    return this.concluded(await this.parts.store.remove(id, entry));
  }

  async #require(id: string): Promise<ServiceAccount> {
    const account = await this.parts.store.find(this.instance.id, id);
    if (account) return account;
    throw new AdministrationRefused("Somebody else has just deleted this service account");
  }
}

function read(draft: ServiceAccountDraft): ServiceAccountDraft {
  const account = readAccount(draft);
  const { proof } = account;
  return "workload" in proof ? { ...account, proof: { workload: readWorkloadRule(proof.workload) } } : account;
}
