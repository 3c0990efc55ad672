import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { DURATION_LIMITS, type DurationName, type Settings } from "#settings/settings.ts";

/** The units of durations in forms, in seconds. */
export const MINUTE = 60;
export const DAY = 86_400;

/** Returns a stored duration as a form shows it: in its unit, to two decimal places. */
export function shownDuration(seconds: number, unit: number): string {
  return String(Math.round((seconds / unit) * 100) / 100);
}

/**
 * Reads a duration from a form, in seconds. If the field still shows the stored duration, returns exactly that: what a form shows is
 * rounded.
 *
 * @throws {AdministrationRefused} with the limits in the form's unit
 */
export function durationOf(form: Parameters, name: DurationName, unit: number, stored: Settings): number {
  const text = form.one(name)?.trim() ?? "";
  if (text === shownDuration(stored[name], unit)) return stored[name];
  const seconds = text === "" ? Number.NaN : Math.round(Number(text) * unit);
  const [least, most] = DURATION_LIMITS[name];
  if (seconds >= least && seconds <= most) return seconds;
  const shortest = Math.ceil((least / unit) * 100) / 100;
  throw new AdministrationRefused(`Enter a number from ${shortest} to ${(most / unit).toLocaleString("en")}`, name);
}
