import type { D1AppRules } from "#app-access/app-rules.d1.ts";
import { type ContentConditionDraft, requireContent } from "#app-access/app-content.ts";
import { type AppLimits, requireRules, RULED_APPS_MAX, type StoredRules } from "#app-access/app-rules.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Scope } from "#protocol/scopes.ts";
import { Acts, type RequireSeen } from "./acts.ts";

export interface AppRuleDraft {
  readonly group: string;
  readonly scopes: readonly Scope[];
}

/** Decisions about who may use which app, and what it may search. They apply to running tokens within the age of a policy snapshot. */
export class AppRuleActs extends Acts<{ readonly store: D1AppRules }> {
  /**
   * Replaces the rules of an app: only people in these groups may use it, with these scopes. Without rules, everybody may use it.
   *
   * @param app a client id, or an identity provider's `<issuer>|<client id>`
   * @param requireSeen throws if the rules are not what the administrator saw
   * @returns whether that changed anything
   * @throws {AdministrationRefused} naming the wrong member, or if somebody else changes the rules at the same moment
   */
  async replace(
    app: string,
    wanted: readonly AppRuleDraft[],
    requireSeen?: RequireSeen<StoredRules | null>,
  ): Promise<boolean> {
    const rules = requireRules(wanted);
    return this.#decide(app, "app", { rules }, requireSeen, (before) =>
      this.entry("client_rules_changed", { clientId: app, before: before.rules, after: rules }),
    );
  }

  /**
   * Replaces what an app may search: documents that meet all conditions. Without conditions, it may search everything that its person
   * may see.
   *
   * @param app as for {@link replace}
   * @returns and throws as {@link replace}
   */
  async limit(
    app: string,
    wanted: readonly ContentConditionDraft[],
    requireSeen?: RequireSeen<StoredRules | null>,
  ): Promise<boolean> {
    return this.#limit(app, "app", wanted, requireSeen);
  }

  /** Does the same for a service account, by its id, or for all personal tokens. */
  async limitMachine(
    machine: string,
    wanted: readonly ContentConditionDraft[],
    requireSeen?: RequireSeen<StoredRules | null>,
  ): Promise<boolean> {
    return this.#limit(machine, "machine", wanted, requireSeen);
  }

  #limit(
    app: string,
    of: "app" | "machine",
    wanted: readonly ContentConditionDraft[],
    requireSeen: RequireSeen<StoredRules | null> | undefined,
  ): Promise<boolean> {
    const content = requireContent(wanted);
    return this.#decide(app, of, { content }, requireSeen, (before) =>
      this.entry("client_content_changed", { clientId: app, before: before.content, after: content }),
    );
  }

  async #decide(
    app: string,
    of: "app" | "machine",
    change: Partial<AppLimits>,
    requireSeen: RequireSeen<StoredRules | null> | undefined,
    entryOf: (before: AppLimits) => Parameters<D1AppRules["replace"]>[4],
  ): Promise<boolean> {
    const seen = await this.parts.store.find(this.instance.id, app);
    await requireSeen?.(seen);
    const before = { rules: seen?.rules ?? [], content: seen?.content ?? [] };
    const after = { ...before, ...change };
    if (JSON.stringify(after) === JSON.stringify(before)) return false;
    if (await this.parts.store.replace(app, after, seen, of, entryOf(before))) {
      return this.concluded(true);
    }
    throw new AdministrationRefused(
      seen
        ? "Somebody else changed these rules: reload them, then try again"
        : `There is no such app, or ${RULED_APPS_MAX} apps have rules already`,
      change.rules ? "rules" : "content",
    );
  }
}
