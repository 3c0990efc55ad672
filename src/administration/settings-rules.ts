import { problemOfApprovals, problemOfIdentityHosts } from "#clients/approvals.ts";
import { problemOf } from "#platform/members.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { opensAnApi, SCOPES } from "#protocol/scopes.ts";
import { type Settings, settingsSchema } from "#settings/settings.ts";
import * as v from "valibot";

/** Changes of some settings; `undefined` resets a setting to its default. */
export type SettingsChanges = Readonly<Record<string, unknown>>;

/**
 * Returns the settings with the changes applied, if they are acceptable. A page uses this to ask before it changes them.
 *
 * @throws {AdministrationRefused} for an unknown setting or a value out of range
 */
export function requireAcceptable(stored: Readonly<Record<string, unknown>>, changes: SettingsChanges): Settings {
  const unknown = Object.keys(changes).find((name) => !Object.hasOwn(settingsSchema.entries, name));
  if (unknown !== undefined) {
    const known = Object.keys(settingsSchema.entries).join(", ");
    throw new AdministrationRefused(`There is no setting ${unknown}; there are ${known}`, unknown);
  }
  const parsed = v.safeParse(settingsSchema, { ...stored, ...changes });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const member = v.getDotPath(issue) ?? undefined;
    // Show the message at the field, even if the problem is in one of the field's values.
    const [field] = member?.split(".") ?? [];
    throw new AdministrationRefused(`${member ?? "The setting"} is not acceptable: ${problemOf(issue)}`, field);
  }
  requireSensible(parsed.output, Object.keys(changes));
  return parsed.output;
}

/**
 * Checks what a schema can't express. It checks only settings that change: a stored value is never a reason to refuse a change of
 * another setting.
 *
 * @throws {AdministrationRefused} naming the setting
 */
function requireSensible(settings: Settings, changed: readonly string[]): void {
  const problem = changed.includes("approvedRedirectUris")
    ? problemOfApprovals(settings.approvedRedirectUris)
    : undefined;
  if (problem !== undefined) throw new AdministrationRefused(problem, "approvedRedirectUris");
  if (changed.includes("dynamicScopes") && !opensAnApi(settings.dynamicScopes)) {
    throw new AdministrationRefused(
      "Keep at least one of SEARCH, CHAT and DOCUMENTS; to stop registration, turn it off",
      "dynamicScopes",
    );
  }
  if (changed.includes("dynamicScopes") && SCOPES.every((scope) => settings.dynamicScopes.includes(scope))) {
    throw new AdministrationRefused(
      "Leave out at least one scope: only apps that an administrator created can have all. To let a known app ask who people are, choose it for that",
      "dynamicScopes",
    );
  }
  const strangers = changed.includes("identityHosts") ? problemOfIdentityHosts(settings.identityHosts) : undefined;
  if (strangers !== undefined) throw new AdministrationRefused(strangers, "identityHosts");
}
