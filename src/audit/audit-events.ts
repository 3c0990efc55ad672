/** What each event says beside who and when. Values are identifiers and settings: never a token, code, secret or form value. */
export interface AuditDetails {
  readonly instance_created: { readonly name: string };
  readonly settings_changed: Changed;
  readonly single_sign_on_changed: Changed & { readonly isSecretNew: boolean };
  readonly logo_changed: { readonly before: string | null; readonly after: Values | null };
  readonly signing_key_rotated: { readonly isCompromised: boolean };
  readonly secrets_resealed: { readonly masterKey: string; readonly secrets: number };

  readonly administrator_changed: { readonly email: string; readonly isAdministrator: boolean };
  readonly person_standing_changed: { readonly email: string; readonly deactivated: boolean };
  readonly person_released: { readonly email: string };
  readonly sessions_ended: { readonly sessions: number };

  readonly client_created: Client & Values;
  readonly client_changed: Client & Changed;
  readonly client_secret_rotated: Client;
  readonly client_approved: Client;
  readonly client_disabled: Client;
  readonly client_removed: Client;

  readonly grant_revoked: {
    readonly grantId: string;
    readonly reason: string;
    readonly personEmail?: string;
    readonly clientId?: string;
    readonly scope?: string;
  };
  /** `clientId` is `all` where every app was meant. */
  readonly grants_revoked: Client & { readonly grants: number; readonly reason: string };

  readonly service_token_issued: { readonly id: string } & Values;
  readonly service_token_rotated: { readonly id: string; readonly endedOthersNow?: boolean };
  readonly service_token_revoked: { readonly id: string };

  readonly external_issuer_registered: { readonly after: Values };
  readonly external_issuer_changed: Changed;
  readonly external_issuer_disabled: { readonly issuer: string };
  readonly external_issuer_enabled: { readonly issuer: string };
  readonly external_issuer_removed: { readonly before: Values };

  readonly metadata_group_created: { readonly group: string; readonly after: unknown };
  readonly metadata_group_changed: { readonly group: string; readonly before: unknown; readonly after: unknown };
  readonly metadata_group_removed: { readonly group: string; readonly before: unknown };

  /** Entries up to a place were removed by retention; `hash` is the last one's, which the next entry follows. */
  readonly audit_trimmed: { readonly through: number; readonly hash: string; readonly before: string };
}

type Values = Readonly<Record<string, unknown>>;
interface Changed {
  readonly before: Values | null;
  readonly after: Values;
}
interface Client {
  readonly clientId: string;
}

/** Everything that the audit can say. */
export type AuditEvent = keyof AuditDetails;
