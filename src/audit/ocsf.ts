import type { RecordedEntry } from "./audit.ts";
import type { AuditEvent } from "./audit-events.ts";
import { sentenceOf } from "./audit-sentence.ts";

/** The version of the schema that events are written in: https://schema.ocsf.io/1.2.0/. */
const OCSF_VERSION = "1.2.0";

/** Identity and Access Management, the category of all classes below. */
const CATEGORY = 3;

/** Account Change: what became of a person's account. Entity Management: everything else that is administered. */
const ACCOUNT = 3001;
const ENTITY = 3004;

/** Activities of Entity Management, and of Account Change where they begin with ACCOUNT. */
const CREATE = 1;
const UPDATE = 3;
const DELETE = 4;
const ACCOUNT_ENABLE = 2;
const ACCOUNT_DISABLE = 5;
const ACCOUNT_DELETE = 6;
const ACCOUNT_ATTACH = 7;
const ACCOUNT_DETACH = 8;
const OTHER = 99;

type Detail = RecordedEntry["detail"];

/** Class, activity, and the member of the details that names what it is about; of an entity, its type before that. */
type Mapping =
  | readonly [class_: typeof ACCOUNT, activity: number | ((detail: Detail) => number), subject: string]
  | readonly [class_: typeof ENTITY, activity: number, subject: string | undefined, type: string];

/** What each event is in OCSF. An event that is not here does not compile. */
const MAPPINGS: Readonly<Record<AuditEvent, Mapping>> = {
  instance_created: [ENTITY, CREATE, "name", "instance"],
  settings_changed: [ENTITY, UPDATE, undefined, "settings"],
  single_sign_on_changed: [ENTITY, UPDATE, undefined, "single sign-on"],
  logo_changed: [ENTITY, UPDATE, undefined, "logo"],
  signing_key_rotated: [ENTITY, UPDATE, undefined, "signing key"],
  secret_resealed: [ENTITY, UPDATE, "kid", "secret"],
  role_changed: [ACCOUNT, ({ role }) => (role === null ? ACCOUNT_DETACH : ACCOUNT_ATTACH), "email"],
  person_standing_changed: [
    ACCOUNT,
    ({ deactivated }) => (deactivated === true ? ACCOUNT_DISABLE : ACCOUNT_ENABLE),
    "email",
  ],
  person_email_changed: [ACCOUNT, OTHER, "after"],
  person_released: [ACCOUNT, ACCOUNT_DELETE, "email"],
  directory_group_changed: [ENTITY, UPDATE, "group", "group"],
  sessions_ended: [ENTITY, DELETE, undefined, "sessions"],
  signal_received: [ENTITY, OTHER, "event", "signal"],
  signal_transmitter_changed: [ENTITY, UPDATE, undefined, "signal transmitter"],
  signal_transmitter_removed: [ENTITY, DELETE, undefined, "signal transmitter"],
  client_created: [ENTITY, CREATE, "clientId", "app"],
  client_changed: [ENTITY, UPDATE, "clientId", "app"],
  client_secret_rotated: [ENTITY, UPDATE, "clientId", "app"],
  client_approved: [ENTITY, UPDATE, "clientId", "app"],
  client_denied: [ENTITY, UPDATE, "clientId", "app"],
  client_disabled: [ENTITY, UPDATE, "clientId", "app"],
  client_enabled: [ENTITY, UPDATE, "clientId", "app"],
  client_removed: [ENTITY, DELETE, "clientId", "app"],
  client_rules_changed: [ENTITY, UPDATE, "clientId", "app"],
  grants_ended: [ENTITY, DELETE, "clientId", "grants"],
  consents_withdrawn: [ENTITY, DELETE, "clientId", "consents"],
  service_account_created: [ENTITY, CREATE, "id", "service account"],
  service_account_changed: [ENTITY, UPDATE, "id", "service account"],
  service_account_disabled: [ENTITY, UPDATE, "id", "service account"],
  service_account_enabled: [ENTITY, UPDATE, "id", "service account"],
  service_account_removed: [ENTITY, DELETE, "id", "service account"],
  service_token_issued: [ENTITY, CREATE, "id", "token"],
  service_token_rotated: [ENTITY, UPDATE, "id", "token"],
  service_token_revoked: [ENTITY, DELETE, "id", "token"],
  service_tokens_ended: [ENTITY, DELETE, "with", "tokens"],
  external_issuer_registered: [ENTITY, CREATE, "after.issuer", "identity provider"],
  external_issuer_changed: [ENTITY, UPDATE, "after.issuer", "identity provider"],
  external_issuer_disabled: [ENTITY, UPDATE, "issuer", "identity provider"],
  external_issuer_enabled: [ENTITY, UPDATE, "issuer", "identity provider"],
  external_issuer_removed: [ENTITY, DELETE, "before.issuer", "identity provider"],
  documents_move_started: [ENTITY, UPDATE, "to", "documents"],
  documents_move_cancelled: [ENTITY, UPDATE, "to", "documents"],
  documents_moved: [ENTITY, UPDATE, "to", "documents"],
  documents_erased: [ENTITY, DELETE, "from", "documents"],
  metadata_group_created: [ENTITY, CREATE, "group", "metadata group"],
  metadata_group_changed: [ENTITY, UPDATE, "group", "metadata group"],
  metadata_group_removed: [ENTITY, DELETE, "group", "metadata group"],
  audit_receiver_authorized: [ENTITY, UPDATE, "receiver", "audit receiver"],
  audit_sealed_late: [ENTITY, OTHER, undefined, "audit"],
  audit_trimmed: [ENTITY, DELETE, undefined, "audit"],
};

/** The events that this version records. */
export const OCSF_EVENTS: readonly string[] = Object.keys(MAPPINGS);

/** 1 is Informational, 4 is High: a thief or a tamperer may be behind these. */
const SEVERITY_USUAL = 1;
const SEVERITY_HIGH = 4;
const ALARMING: readonly unknown[] = ["code_replayed", "refresh_token_reused"];

/** An OCSF event; `class_uid`, `activity_id` and `type_uid` say what happened. */
export type OcsfEvent = Readonly<Record<string, unknown>>;

/**
 * A sealed entry as an OCSF event. Whatever an older version of this service recorded is Entity Management: Other.
 *
 * @param instance the instance's name
 */
export function toOcsf(
  { sequence, at, actor, event, detail, seal }: RecordedEntry,
  instance: string,
  service: string,
): OcsfEvent {
  const known: Mapping = Object.hasOwn(MAPPINGS, event)
    ? MAPPINGS[event as AuditEvent]
    : [ENTITY, OTHER, undefined, "entry"];
  const [classUid, activity, subject, type] = known;
  const activityId = typeof activity === "function" ? activity(detail) : activity;
  const named = subject?.split(".").reduce<unknown>((value, name) => (value as Detail | undefined)?.[name], detail);
  const uid = typeof named === "string" && named !== "" ? named : (type ?? instance);
  const isAlarming = event === "audit_sealed_late" || ALARMING.includes(detail["reason"]);
  return {
    category_uid: CATEGORY,
    class_uid: classUid,
    activity_id: activityId,
    type_uid: classUid * 100 + activityId,
    severity_id: isAlarming ? SEVERITY_HIGH : SEVERITY_USUAL,
    status_id: 1,
    time: at * 1000,
    message: `${actor} ${sentenceOf({ event, detail }, (id) => id)}`,
    metadata: {
      version: OCSF_VERSION,
      product: { name: service, vendor_name: service, uid: instance },
      log_name: "audit",
      event_code: event,
      sequence,
    },
    actor: { user: { uid: actor } },
    ...(classUid === ACCOUNT ? { user: { name: uid, email_addr: uid } } : { entity: { uid, type } }),
    unmapped: { detail, previousHash: seal?.previousHash ?? null, hash: seal?.hash ?? null },
  };
}
