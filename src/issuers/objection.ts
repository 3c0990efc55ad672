import type { ExternalIssuer } from "./external-issuer.ts";

/** What speaks against a configuration, and which field has to change. */
export interface Objection {
  readonly field: keyof ExternalIssuer;
  /** What to change, as a sentence. */
  readonly message: string;
}

/** @returns `undefined` where there is no message */
export function against(field: keyof ExternalIssuer, message: string): Objection;
export function against(field: keyof ExternalIssuer, message: string | undefined): Objection | undefined;
export function against(field: keyof ExternalIssuer, message: string | undefined): Objection | undefined {
  return message === undefined ? undefined : { field, message };
}
