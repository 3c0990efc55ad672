import type { SingleSignOn } from "#settings/settings.ts";

export interface InstanceRecord {
  readonly id: number;
  readonly name: string;
  /** The stored settings: only those that differ from the defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Where people sign in: usually one SSO, or none yet. */
  readonly singleSignOns: readonly SingleSignOn[];
  /** The exact stored texts. A change is written only if they are still the same. */
  readonly stored: { readonly settings: string; readonly singleSignOns: string | null };
}
