import { hidesCharacters } from "#protocol/display-name.ts";
import { foldName } from "#protocol/folding.ts";

/** Maximum groups of a claim. A longer list is a mistake, and would make every search of the person slow. */
const GROUPS_MAX = 500;

/** The name of a group of an issuer other than the directory. */
const OF_AN_ISSUER = /^https?:\/\/[^|]*\|/;

/** Checks whether a group is named after an issuer other than the directory. */
export function isOfIssuer(group: string): boolean {
  return OF_AN_ISSUER.test(group);
}

/** Returns the name for a group of an issuer that is not the directory. */
function groupOf(issuer: string, group: string): string {
  return foldName(`${issuer}|${group}`);
}

/**
 * Returns the groups that a claim lists, by their own names. A name that looks like another issuer's group is left out, because it
 * would count as that issuer's.
 */
export function readGroups(claim: unknown): string[] {
  return unrepeated(listGroups(claim).map(foldName))
    .filter((group) => !isOfIssuer(group))
    .slice(0, GROUPS_MAX);
}

/** Returns the groups that a claim lists, with the claim's issuer in their names. */
export function readGroupsOf(issuer: string, claim: unknown): string[] {
  return unrepeated(listGroups(claim).map((group) => groupOf(issuer, group))).slice(0, GROUPS_MAX);
}

/** Checks the name of a group. A name with invisible characters could pass for another group in the console. */
function isGroupName(group: unknown): group is string {
  return typeof group === "string" && group !== "" && group.length <= 200 && !hidesCharacters(group);
}

/** An array of strings, or one string. */
function listGroups(claim: unknown): string[] {
  const list = typeof claim === "string" ? [claim] : Array.isArray(claim) ? (claim as unknown[]) : [];
  return list.filter(isGroupName);
}

/** An ID token has room for tens of thousands of names, so they are not compared one by one. */
function unrepeated(groups: readonly string[]): string[] {
  return [...new Set(groups)];
}

/** Checks whether claims have exactly the values that distinguish this organisation from others of the same issuer. */
export function haveRequired(
  claims: Readonly<Record<string, unknown>>,
  required: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(required).every(([claim, value]) => claims[claim] === value);
}
