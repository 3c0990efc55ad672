import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { linesOf } from "./refused-form.ts";

/**
 * Reads required claims from a field with one `<claim>=<value>` per line.
 *
 * @throws {AdministrationRefused} if a line has another form, or a claim is listed twice
 */
export function claimsOf(form: Parameters, name: string): Record<string, string> {
  const claims = new Map<string, string>();
  for (const line of linesOf(form, name)) {
    const equals = line.indexOf("=");
    if (equals < 1) {
      throw new AdministrationRefused(`${line} is not a claim and its value: write one claim=value per line`, name);
    }
    const claim = line.slice(0, equals).trim();
    if (claims.has(claim)) throw new AdministrationRefused(`The claim ${claim} is listed twice`, name);
    claims.set(claim, line.slice(equals + 1).trim());
  }
  return Object.fromEntries(claims);
}

export function linesOfClaims(claims: Readonly<Record<string, string>>): string[] {
  return Object.entries(claims).map(([claim, value]) => `${claim}=${value}`);
}
