import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { ExternalIssuer } from "./external-issuer.ts";

/** Makes the refusal of a configuration. @param message what to change in the field, as a sentence */
export function against(field: keyof ExternalIssuer, message: string): AdministrationRefused {
  return new AdministrationRefused(message, field);
}
