import type { InstanceRecord } from "#instance/instances.ts";
import type { D1Instances } from "#instance/instances.d1.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { parseSettings, type Settings, settingsSchema } from "#settings/settings.ts";
import { Acts, changeFromCurrent, type RequireSeen } from "./acts.ts";
import { requireAcceptable, type SettingsChanges } from "./settings-rules.ts";

export class SettingsActs extends Acts<{ readonly instances: D1Instances }> {
  /**
   * Changes some settings. Changes that others make to other settings in the meantime stay. The audit entry lists what actually
   * changed; if nothing did, there is no entry.
   *
   * @param requireSeen throws if the stored settings are not what the administrator saw
   * @throws {AdministrationRefused} for an unknown setting or a value out of range
   */
  async change(changes: SettingsChanges, requireSeen?: RequireSeen<InstanceRecord>): Promise<Settings> {
    return changeFromCurrent(
      () => this.parts.instances.require(this.instance.name),
      async (current) => {
        await requireSeen?.(current);
        const wanted: SettingsChanges = { ...current.settings, ...changes };
        const settings = requireAcceptable(current.settings, changes);
        const detail = differenceOf(parseSettings(current.settings), settings);
        if (detail === undefined) return settings;
        const entry = this.entry("settings_changed", detail);
        const chosen = Object.keys(settings).filter((name) => wanted[name] !== undefined);
        const stored = Object.fromEntries(chosen.map((name) => [name, settings[name as keyof Settings]]));
        const isWritten = await this.parts.instances.writeSettings(current, stored, entry);
        if (!isWritten) return undefined;
        await this.concluded(true);
        return settings;
      },
    );
  }
}

function differenceOf(before: Settings, after: Settings): AuditEntry<"settings_changed">["detail"] | undefined {
  const names = Object.keys(settingsSchema.entries) as (keyof Settings)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return undefined;
  const valuesOf = (settings: Settings) => Object.fromEntries(changed.map((name) => [name, settings[name]]));
  return { before: valuesOf(before), after: valuesOf(after) };
}
