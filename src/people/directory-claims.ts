import { hidesCharacters } from "#protocol/display-name.ts";
import { foldName } from "#protocol/folding.ts";

/** Beyond this a directory claim is a mistake, and would make every search of the person slow. */
const GROUPS_MAX = 500;

/** A group as an issuer beside the directory names it. */
const OF_AN_ISSUER = /^https?:\/\/[^|]*\|/;

/** Whether a group is named for an issuer beside the directory. */
export function isOfIssuer(group: string): boolean {
  return OF_AN_ISSUER.test(group);
}

/** The name of a group of an issuer that is not the directory. */
function groupOf(issuer: string, group: string): string {
  return foldName(`${issuer}|${group}`);
}

/**
 * The groups that a claim lists, by their own names. One that looks like another issuer's is left out: it would be that issuer's.
 */
export function readGroups(claim: unknown): string[] {
  return listGroups(claim)
    .map(foldName)
    .filter(unique)
    .filter((group) => !isOfIssuer(group))
    .slice(0, GROUPS_MAX);
}

/** The groups that a claim lists, named with the issuer that says so. */
export function readGroupsOf(issuer: string, claim: unknown): string[] {
  return listGroups(claim)
    .map((group) => groupOf(issuer, group))
    .filter(unique)
    .slice(0, GROUPS_MAX);
}

/** A name that hides something would stand in the console as another group. */
function isGroupName(group: unknown): group is string {
  return typeof group === "string" && group !== "" && group.length <= 200 && !hidesCharacters(group);
}

/** An array of strings, or one string. */
function listGroups(claim: unknown): string[] {
  const list = typeof claim === "string" ? [claim] : Array.isArray(claim) ? (claim as unknown[]) : [];
  return list.filter(isGroupName);
}

function unique(group: string, index: number, groups: readonly string[]): boolean {
  return groups.indexOf(group) === index;
}

/** Whether claims have exactly the values that tell this organisation from others of the same issuer. */
export function haveRequired(
  claims: Readonly<Record<string, unknown>>,
  required: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(required).every(([claim, value]) => claims[claim] === value);
}
