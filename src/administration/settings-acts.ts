import { problemOfApprovals } from "#clients/approvals.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { InstanceRecord, Instances, InstanceWriter } from "#instance/instances.ts";
import type { Clock } from "#platform/clock.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { opensAnApi } from "#protocol/scopes.ts";
import { parseSettings, type Settings, settingsSchema } from "#settings/settings.ts";
import * as v from "valibot";
import { changeFromCurrent } from "./change-from-current.ts";
import type { TakeEffect } from "./take-effect.ts";

type Instance = Parameters<TakeEffect>[0];

/** Changes of some settings; `undefined` takes one back to its default. */
export type SettingsChanges = Readonly<Record<string, unknown>>;

/** What is decided about an instance's settings. */
export class SettingsActs {
  readonly #instances: Instances;
  readonly #writer: InstanceWriter;
  readonly #takeEffect: TakeEffect;
  readonly #clock: Clock;

  constructor(instances: Instances, writer: InstanceWriter, takeEffect: TakeEffect, clock: Clock) {
    this.#instances = instances;
    this.#writer = writer;
    this.#takeEffect = takeEffect;
    this.#clock = clock;
  }

  /**
   * Changes some settings and leaves all others as they are now, whoever changed them meanwhile. The audit says what really
   * changed; where nothing does, there is no entry.
   *
   * @throws {AdministrationRefused} for an unknown setting or a value out of bounds
   */
  async change(instance: Instance, changes: SettingsChanges, actor: string): Promise<Settings> {
    return changeFromCurrent(
      () => this.#instances.require(instance.name),
      async (current) => {
        const settings = this.requireAcceptable(current, changes);
        const detail = differenceOf(parseSettings(current.settings), settings);
        if (detail === undefined) return settings;
        const entry = { instanceId: current.id, at: this.#clock(), actor, event: "settings_changed", detail } as const;
        const isWritten = await this.#writer.writeSettings(current, { ...current.settings, ...changes }, entry);
        if (!isWritten) return undefined;
        await this.#takeEffect(current);
        return settings;
      },
    );
  }

  /**
   * What the settings would be, and whether they may: for a page that asks before it changes them.
   *
   * @throws {AdministrationRefused} for an unknown setting or a value out of bounds
   */
  requireAcceptable(instance: InstanceRecord, changes: SettingsChanges): Settings {
    const unknown = Object.keys(changes).find((name) => !(name in settingsSchema.entries));
    if (unknown !== undefined) {
      const known = Object.keys(settingsSchema.entries).join(", ");
      throw new AdministrationRefused(`There is no setting ${unknown}; there are ${known}`, unknown);
    }
    const parsed = v.safeParse(settingsSchema, { ...instance.settings, ...changes });
    if (!parsed.success) {
      const [issue] = parsed.issues;
      const member = v.getDotPath(issue) ?? undefined;
      throw new AdministrationRefused(`${member ?? "The setting"} is not acceptable: ${issue.message}`, member);
    }
    requireSensible(parsed.output, Object.keys(changes));
    return parsed.output;
  }
}

function differenceOf(before: Settings, after: Settings): AuditEntry<"settings_changed">["detail"] | undefined {
  const names = Object.keys(settingsSchema.entries) as (keyof Settings)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return undefined;
  const valuesOf = (settings: Settings) => Object.fromEntries(changed.map((name) => [name, settings[name]]));
  return { before: valuesOf(before), after: valuesOf(after) };
}

/**
 * What a schema cannot say of settings. It holds for those that change: what is stored is never a reason to refuse another one.
 *
 * @throws {AdministrationRefused}
 */
function requireSensible(settings: Settings, changed: readonly string[]): void {
  const problem = changed.includes("approvedRedirectUris")
    ? problemOfApprovals(settings.approvedRedirectUris)
    : undefined;
  if (problem !== undefined) throw new AdministrationRefused(problem, "approvedRedirectUris");
  if (changed.includes("dynamicScopes") && !opensAnApi(settings.dynamicScopes)) {
    throw new AdministrationRefused(
      "Leave apps at least one of SEARCH, CHAT and DOCUMENTS; to let none register, switch registration off",
      "dynamicScopes",
    );
  }
}
