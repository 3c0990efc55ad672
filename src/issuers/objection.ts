import type { ExternalIssuer } from "./external-issuer.ts";

/** A reason to refuse a configuration, and the field that has to change. */
export interface Objection {
  readonly field: keyof ExternalIssuer;
  /** What to change, as a sentence. */
  readonly message: string;
}

/** Creates an objection. @returns `undefined` if there is no message */
export function against(field: keyof ExternalIssuer, message: string): Objection;
export function against(field: keyof ExternalIssuer, message: string | undefined): Objection | undefined;
export function against(field: keyof ExternalIssuer, message: string | undefined): Objection | undefined {
  return message === undefined ? undefined : { field, message };
}
