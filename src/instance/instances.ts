import type { SingleSignOn } from "#settings/settings.ts";

export interface InstanceRecord {
  readonly id: number;
  readonly name: string;
  /** The stored settings: only those that differ from the defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly singleSignOn: SingleSignOn | null;
  /** The exact stored texts. A change is written only if they are still the same. */
  readonly stored: { readonly settings: string; readonly singleSignOn: string | null };
}
