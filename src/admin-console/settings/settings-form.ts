import { DAY, durationOf, shownDuration } from "#admin-console/durations.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Settings } from "#settings/settings.ts";
import type { FormState } from "#platform/form-state.ts";
import type { Parameters } from "#protocol/parameters.ts";

/** Returns the form with the values of the instance's settings. */
export function storedSettings(settings: Settings): FormState {
  const { displayName, supportContact, auditKeptSeconds, searchLanguages, searchPrefersRecent } = settings;
  return {
    values: {
      displayName: displayName ?? "",
      supportContact: supportContact ?? "",
      auditKeptSeconds: shownDuration(auditKeptSeconds, DAY),
      searchLanguages,
      searchPrefersRecent: searchPrefersRecent ? "on" : "",
    },
    errors: {},
  };
}

/**
 * Returns only the settings that the form changes. A setting whose field is emptied goes back to its default.
 *
 * @throws {AdministrationRefused} for a number that is out of range
 */
export function changedSettings(form: Parameters, settings: Settings): Readonly<Record<string, unknown>> {
  const wanted: Partial<Record<keyof Settings, unknown>> = {
    displayName: form.one("displayName")?.trim() || undefined,
    supportContact: form.one("supportContact")?.trim() || undefined,
    auditKeptSeconds: durationOf(form, "auditKeptSeconds", DAY, settings),
    searchLanguages: form.all("searchLanguages"),
    searchPrefersRecent: form.one("searchPrefersRecent") === "on",
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(settings[name as keyof Settings]) !== JSON.stringify(value),
    ),
  );
}

/**
 * Checks that an administrator who ends all access typed the instance's name, so that they don't do it to the wrong instance.
 *
 * @throws {AdministrationRefused}
 */
export function requireTypedName(typed: string | undefined, name: string): void {
  if (typed?.trim() !== name) throw new AdministrationRefused(`Type ${name}, the name of this instance`, "name");
}
