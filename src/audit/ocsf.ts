import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { RecordedEntry } from "./audit.ts";
import type { AuditEvent } from "./audit-events.ts";
import { sentenceOf } from "./audit-sentence.ts";

/** The version of the schema that events are written in: https://schema.ocsf.io/1.2.0/. */
const OCSF_VERSION = "1.2.0";

/**
 * Classes of events. Account Change: changes of a person's account. Authentication: sign-ins, sign-outs and refused sign-ins. Authorize
 * Session: what an app may do for somebody. Entity Management: everything else that is administered. API Activity: all other refusals.
 */
const ACCOUNT = 3001;
const AUTHENTICATION = 3002;
const AUTHORIZATION = 3003;
const ENTITY = 3004;
const API = 6003;

/**
 * Activities of Entity Management, of Account Change (ACCOUNT_…), of Authentication and of Authorize Session. OTHER is in all classes.
 */
const CREATE = 1;
const UPDATE = 3;
const DELETE = 4;
const ACCOUNT_ENABLE = 2;
const ACCOUNT_DISABLE = 5;
const ACCOUNT_DELETE = 6;
const ACCOUNT_ATTACH = 7;
const ACCOUNT_DETACH = 8;
const ACCOUNT_CREATE = 1;
const LOGON = 1;
const LOGOFF = 2;
const ASSIGN_PRIVILEGES = 1;
const OTHER = 99;

type Detail = RecordedEntry["detail"];

/**
 * The class, the activity, and the member of the details that names what the event is about; for an entity, also its type.
 */
type Mapping =
  | readonly [class_: typeof ACCOUNT, activity: number | ((detail: Detail) => number), subject: string]
  | readonly [class_: typeof ENTITY, activity: number, subject: string | undefined, type: string]
  | readonly [class_: typeof AUTHENTICATION | typeof AUTHORIZATION | typeof API, activity: number];

/** A refusal at the callback from the SSO is a failed sign-in. */
const refusal = ({ operation }: Detail): Mapping =>
  operation === `GET ${ENDPOINTS.callback}` ? [AUTHENTICATION, LOGON] : [API, OTHER];

/** The OCSF mapping of each event. A missing event is a compile error. */
const MAPPINGS: Readonly<Record<AuditEvent, Mapping | ((detail: Detail) => Mapping)>> = {
  instance_created: [ENTITY, CREATE, "name", "instance"],
  settings_changed: [ENTITY, UPDATE, undefined, "settings"],
  single_sign_on_changed: [ENTITY, UPDATE, undefined, "single sign-on"],
  single_sign_on_removed: [ENTITY, DELETE, "issuer", "single sign-on"],
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
  signed_in: [AUTHENTICATION, LOGON],
  signed_out: [AUTHENTICATION, LOGOFF],
  app_authorized: [AUTHORIZATION, ASSIGN_PRIVILEGES],
  app_denied: [AUTHORIZATION, ASSIGN_PRIVILEGES],
  app_requested: [ENTITY, OTHER, "clientId", "app"],
  access_refused: refusal,
  request_refused: refusal,
  directory_user_added: [ACCOUNT, ACCOUNT_CREATE, "email"],
  directory_user_changed: [ACCOUNT, OTHER, "email"],
  directory_user_removed: [ACCOUNT, ACCOUNT_DELETE, "email"],
  directory_group_created: [ENTITY, CREATE, "group", "group"],
  directory_group_removed: [ENTITY, DELETE, "group", "group"],
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
  client_content_changed: [ENTITY, UPDATE, "clientId", "app"],
  grants_ended: [ENTITY, DELETE, "clientId", "grants"],
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
  documents_placement_restored: [ENTITY, UPDATE, "to", "documents"],
  documents_rewound: [ENTITY, UPDATE, undefined, "documents"],
  removal_held: [ENTITY, OTHER, "datasource", "datasource"],
  removal_unchecked: [ENTITY, DELETE, "datasource", "datasource"],
  removal_decided: [ENTITY, UPDATE, "datasource", "datasource"],
  removal_undone: [ENTITY, UPDATE, "datasource", "datasource"],
  removal_final: [ENTITY, DELETE, "datasource", "datasource"],
  glossary_changed: [ENTITY, UPDATE, undefined, "glossary"],
  metadata_group_created: [ENTITY, CREATE, "group", "metadata group"],
  metadata_group_changed: [ENTITY, UPDATE, "group", "metadata group"],
  metadata_group_removed: [ENTITY, DELETE, "group", "metadata group"],
  audit_receiver_authorized: [ENTITY, UPDATE, "receiver", "audit receiver"],
  audit_sealed_late: [ENTITY, OTHER, undefined, "audit"],
  audit_trimmed: [ENTITY, DELETE, undefined, "audit"],
};

/** The mapping of events that another version of this service recorded. */
const UNKNOWN: Mapping = [ENTITY, OTHER, undefined, "entry"];

export const OCSF_EVENTS: readonly string[] = Object.keys(MAPPINGS);

/** 1 is Informational. 2 is Low: somebody was refused. 4 is High: theft or tampering may be the cause. */
const SEVERITY_USUAL = 1;
const SEVERITY_REFUSED = 2;
const SEVERITY_HIGH = 4;
const ALARMING: readonly unknown[] = ["code_replayed", "refresh_token_reused"];

/** Success, and Failure. */
const SUCCESS = 1;
const FAILURE = 2;
const REFUSED = ["access_refused", "request_refused", "app_denied"];

/** An OCSF event; `class_uid`, `activity_id` and `type_uid` say what happened. */
export type OcsfEvent = Readonly<Record<string, unknown>>;

/**
 * Converts a sealed entry to an OCSF event. Events of another version of this service become Entity Management: Other.
 *
 * @param instance the instance's name
 */
export function toOcsf(
  { sequence, at, actor, event, detail, seal }: RecordedEntry,
  instance: string,
  service: string,
): OcsfEvent {
  const known = Object.hasOwn(MAPPINGS, event) ? MAPPINGS[event as AuditEvent] : UNKNOWN;
  const mapping = typeof known === "function" ? known(detail) : known;
  const [classUid, activity] = mapping;
  const activityId = typeof activity === "function" ? activity(detail) : activity;
  const isAlarming = event === "audit_sealed_late" || ALARMING.includes(detail["reason"]);
  const isRefused = REFUSED.includes(event);
  const { times } = detail;
  return {
    category_uid: Math.floor(classUid / 1000),
    class_uid: classUid,
    activity_id: activityId,
    type_uid: classUid * 100 + activityId,
    severity_id: isAlarming ? SEVERITY_HIGH : isRefused ? SEVERITY_REFUSED : SEVERITY_USUAL,
    status_id: isRefused ? FAILURE : SUCCESS,
    ...(isRefused ? { status_detail: textOf(detail["reason"], "refused") } : {}),
    ...(typeof times === "number" ? { count: times } : {}),
    time: at * 1000,
    message: `${actor} ${sentenceOf({ event, detail }, () => undefined)}`,
    metadata: {
      version: OCSF_VERSION,
      product: { name: service, vendor_name: service, uid: instance },
      log_name: "audit",
      event_code: event,
      sequence,
    },
    actor: { user: { uid: actor } },
    ...subjectOf(mapping, { actor, detail }, instance, service),
    unmapped: { detail, previousHash: seal?.previousHash ?? null, hash: seal?.hash ?? null },
  };
}

/** Returns what an event is about, in the members of its class. */
function subjectOf(
  [classUid, , subject, type]: Mapping,
  { actor, detail }: Pick<RecordedEntry, "actor" | "detail">,
  instance: string,
  service: string,
): OcsfEvent {
  const { email, personId, clientId, grantId, network, operation, scope } = detail;
  const user = {
    uid: textOf(personId, actor),
    ...(typeof email === "string" ? { name: email, email_addr: email } : {}),
  };
  switch (classUid) {
    case AUTHENTICATION:
      return { user, service: { name: textOf(clientId, service) }, ...endpointOf(network) };
    case AUTHORIZATION: {
      const session = typeof grantId === "string" ? { session: { uid: grantId } } : {};
      return { user, privileges: textOf(scope, "").split(" "), ...session };
    }
    case API:
      return {
        api: { operation: textOf(operation, "unknown"), service: { name: service } },
        src_endpoint: { name: "unknown" },
        ...endpointOf(network),
        actor: { user, ...(typeof clientId === "string" ? { app_uid: clientId } : {}) },
      };
    case ACCOUNT:
    case ENTITY:
    default: {
      const named = subject?.split(".").reduce<unknown>((value, name) => (value as Detail | undefined)?.[name], detail);
      const uid = textOf(named, type ?? instance);
      return classUid === ACCOUNT ? { user: { name: uid, email_addr: uid } } : { entity: { uid, type } };
    }
  }
}

/** Returns the endpoint of a caller: its address, or its network. */
function endpointOf(network: unknown): OcsfEvent {
  if (typeof network !== "string" || network === "") return {};
  return { src_endpoint: network.includes("/") ? { name: network } : { ip: network } };
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}
