import type { AppRuleStore, StoredRules } from "#app-access/app-rule-store.ts";
import { requireRules, RULED_APPS_MAX } from "#app-access/app-rules.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ActInstance } from "./act-instance.ts";
import { Acts } from "./acts.ts";
import type { RequireSeen } from "./change-from-current.ts";

/** A rule as an administrator writes it. */
export interface AppRuleDraft {
  readonly group: string;
  readonly scopes: readonly Scope[];
}

/** Decisions about who may use which app. */
export class AppRuleActs extends Acts<{ readonly store: AppRuleStore }> {
  /**
   * Replaces the rules of an app: only people in these groups may use it, with these scopes. Without rules, everybody may use it.
   * The new rules apply to existing tokens within the age of a policy snapshot.
   *
   * @param app a client id, or an identity provider's `<issuer>|<client id>`
   * @param requireSeen throws if the rules are not what the administrator saw
   * @returns whether that changed anything
   * @throws {AdministrationRefused} naming the wrong member, or if somebody else changes the rules at the same moment
   */
  async replace(
    instance: ActInstance,
    app: string,
    wanted: readonly AppRuleDraft[],
    actor: string,
    requireSeen?: RequireSeen<StoredRules | null>,
  ): Promise<boolean> {
    const rules = requireRules(wanted);
    const seen = await this.parts.store.find(instance.id, app);
    await requireSeen?.(seen);
    if (JSON.stringify(rules) === JSON.stringify(seen?.rules ?? [])) return false;
    const entry = this.entry(instance, actor, "client_rules_changed", {
      clientId: app,
      before: seen?.rules ?? [],
      after: rules,
    });
    const limits = { rules, content: seen?.content ?? [] };
    if (await this.parts.store.replace(instance.id, app, limits, seen, "app", RULED_APPS_MAX, entry)) {
      return this.concluded(instance, true);
    }
    throw new AdministrationRefused(
      seen
        ? "Somebody else changed these rules: reload them, then try again"
        : `There is no such app, or ${RULED_APPS_MAX} apps have rules already`,
      "rules",
    );
  }
}
