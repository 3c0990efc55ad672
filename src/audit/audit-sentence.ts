import type { RecordedEntry } from "./audit.ts";
import type { AuditEvent } from "./audit-events.ts";

type Detail = RecordedEntry["detail"];

/**
 * What an actor did. `{member}` is replaced by that member of the details, or by the kind and name if it is an id; `{*}` by the names of
 * what changed.
 */
const SENTENCES: Readonly<Record<AuditEvent, string | ((detail: Detail) => string)>> = {
  instance_created: "created the instance “{name}”",
  settings_changed: "changed settings: {*}",
  single_sign_on_changed: "changed the single sign-on: {*}",
  single_sign_on_removed: "removed the single sign-on {issuer}",
  logo_changed: "changed the logo",
  signing_key_rotated: ({ isCompromised }) =>
    isCompromised === true ? "replaced the signing key, as compromised" : "replaced the signing key",
  secret_resealed: "encrypted a secret again, with the master key {masterKey}",
  role_changed: ({ role }) => (role === null ? "removed {email}’s role" : "gave {email} the role {role}"),
  person_standing_changed: ({ deactivated }) =>
    deactivated === true ? "deactivated {email}" : "let {email} sign in again",
  person_email_changed: "changed the email address {before} to {after}",
  person_released: "released {email}",
  directory_group_changed: ({ added, removed }) =>
    added !== undefined
      ? "added members to the group “{group}”: {added}"
      : removed !== undefined
        ? "removed members from the group “{group}”: {removed}"
        : "renamed the group “{before}” to “{group}”",
  signed_in: ({ clientId }) =>
    clientId === undefined ? "signed in to the pages of this service" : "signed in for the app {clientId}",
  signed_out: "signed out",
  app_authorized: ({ assertedBy, exchangedFrom, personId }) =>
    exchangedFrom !== undefined
      ? "exchanged a token of the app {exchangedFrom}, to act for {personId}: {scope}"
      : personId !== undefined
        ? "asserted that {personId} may use the app {clientId}: {scope}"
        : assertedBy === undefined
          ? "allowed the app {clientId} to act for them: {scope}"
          : "got access through {assertedBy}: {scope}",
  app_denied: ({ reason }) =>
    reason === "app_not_for_person" ? "was not allowed to use the app {clientId}" : "denied the app {clientId} access",
  app_requested: "asked for the approval of the app {clientId}",
  access_refused: refusedTo,
  request_refused: refusedTo,
  directory_user_added: "added the user {email}",
  directory_user_changed: "changed the user {email}",
  directory_user_removed: "removed the user {email}",
  directory_group_created: "created the group “{group}”",
  directory_group_removed: "removed the group “{group}”",
  sessions_ended: "signed people out: {sessions} sessions",
  signal_received: ({ effect, personId, subject }) => {
    if (effect === "person") return "signed {personId} out everywhere ({event})";
    if (effect === "session")
      return `ended a single sign-on session${personId === undefined ? "" : " of {personId}"} ({event})`;
    return subject === undefined
      ? "sent {event}, which changes nothing"
      : "sent {event} about somebody unknown: {subject}";
  },
  signal_transmitter_changed: ({ before }) =>
    before === null ? "added the transmitter {after.issuer}" : "changed the transmitter {after.issuer}: {*}",
  signal_transmitter_removed: "removed the transmitter {before.issuer}",
  client_created: "created the app “{name}”",
  client_changed: "changed the app {clientId}: {*}",
  client_secret_rotated: "replaced the secret of the app {clientId}",
  client_approved: "approved the app {clientId}",
  client_denied: "denied the app {clientId}",
  client_disabled: "disabled the app {clientId}",
  client_enabled: "enabled the app {clientId}",
  client_removed: "deleted the app {clientId}",
  client_rules_changed: ({ after }) => {
    const rules = Array.isArray(after) ? (after as { readonly group?: unknown }[]) : [];
    const groups = rules.map((rule) => textOf(rule?.group));
    return groups.length === 0
      ? "let everybody use the app {clientId}"
      : `let only these groups use the app {clientId}: ${groups.join(", ")}`;
  },
  glossary_changed: "changed the glossary, which has {entries} entries",
  client_content_changed: ({ after }) => {
    const conditions = (Array.isArray(after) ? after : []) as readonly Record<string, unknown>[];
    const parts = conditions.map((one) => {
      const values = Array.isArray(one?.["values"]) ? one["values"].map(textOf).join(", ") : "";
      return `${one?.["isExcluded"] === true ? "nothing with" : "only"} ${textOf(one?.["field"])}: ${values}`;
    });
    return parts.length === 0
      ? "let the app {clientId} search everything"
      : `limited what the app {clientId} may search: ${parts.join("; ")}`;
  },
  grants_ended: ({ clientId, personId, issuer, reason }) => {
    if (reason === "sso_removed") return "revoked the access of the people who signed in at {issuer} ({grants} grants)";
    if (issuer !== undefined) return `revoked the access that {issuer} asserted ({grants} grants)${becauseOf(reason)}`;
    const whose = clientId === undefined ? "all apps’" : "{clientId}’s";
    return `revoked ${whose} access${personId === undefined ? "" : " for {personId}"} ({grants} grants)${becauseOf(reason)}`;
  },
  service_account_created: "created the service account “{name}”",
  service_account_changed: "changed the service account “{after.name}”: {*}",
  service_account_disabled: "disabled the service account {id}",
  service_account_enabled: "enabled the service account {id}",
  service_account_removed: "deleted the service account “{name}”",
  service_token_issued: "created the token “{name}”",
  service_token_rotated: "replaced the secret of the token {id}",
  service_token_revoked: "revoked the token {id}",
  service_tokens_ended: "ended tokens together with {with}: {ids}",
  external_issuer_registered: "added the identity provider {after.issuer}",
  external_issuer_changed: "changed the identity provider {after.issuer}: {*}",
  external_issuer_disabled: "disabled the identity provider {issuer}",
  external_issuer_enabled: "enabled the identity provider {issuer}",
  external_issuer_removed: "removed the identity provider {before.issuer}",
  documents_move_started: "started to move the documents from {from} to {to}",
  documents_move_cancelled: "cancelled the move of the documents from {from} to {to}",
  documents_moved: "moved the documents from {from} to {to} ({documents} documents)",
  documents_erased: "deleted the old documents in {from}",
  documents_placement_restored: "set where the documents are, after a restore, from {from} to {to}",
  documents_rewound: "restored all documents and their permissions as they were at {at}",
  removal_held: "left out {stale} of {total} {kind} of {datasource} in an upload; their removal is held until {until}",
  removal_unchecked:
    "left out {stale} of {total} {kind} of {datasource} in an upload without a check, so they were removed",
  removal_decided: ({ decision }) =>
    decision === "remove"
      ? "removed {stale} {kind} of {datasource} that an upload had left out"
      : "kept {stale} {kind} of {datasource} that an upload had left out",
  removal_undone: "brought back {documents} removed documents of {datasource}",
  removal_final: "erased {documents} removed documents of {datasource} permanently",
  metadata_group_created: "created the metadata group “{group}”",
  metadata_group_changed: "changed the metadata group “{group}”",
  metadata_group_removed: "deleted the metadata group “{group}”",
  audit_receiver_authorized: ({ isSet }) =>
    isSet === true
      ? "set the Authorization header for the audit receiver {receiver}"
      : "removed the Authorization header for the audit receiver {receiver}",
  audit_sealed_late: "found the entries {from} to {through} a day old and without a seal, and sealed them",
  audit_trimmed: ({ before }) => `deleted entries older than ${textOf(before).slice(0, 10)}`,
};

function refusedTo({ clientId, times }: Detail): string {
  const by = clientId === undefined ? "" : " with the app {clientId}";
  return `was refused {operation}${by} ({reason})${times === 1 ? "" : ", {times} times"}`;
}

/** Why access ended, in words. A revocation is not listed, because the sentence already says "revoked". */
const REASONS: Readonly<Record<string, string>> = {
  client_removed: "the app was deleted",
  person_deactivated: "the person was deactivated",
  person_released: "the person was released",
  code_replayed: "an authorization code was used twice",
  issuer_changed: "the identity provider was changed, disabled or removed",
  refresh_token_reused: "an old refresh token was used",
  signed_out: "the person was signed out",
};

function becauseOf(reason: unknown): string {
  const words = REASONS[textOf(reason)];
  return words === undefined ? "" : `, because ${words}`;
}

/** Members of details that are the id of a person, an app or a token. */
const IDS = ["personId", "clientId", "id", "with", "ids"];

/** What an id belongs to. A person is named by their email address, and everything else by a name that somebody chose. */
export interface Named {
  readonly kind: "person" | "app" | "token";
  readonly name: string;
}

type NameOf = (id: string) => Named | undefined;

/**
 * Returns who did something. Only a person's email stands alone: an app can be called like an address, and would otherwise be read as
 * that person.
 */
export function whoOf(actor: string, nameOf: NameOf): string {
  const named = nameOf(actor);
  if (named === undefined) return actor;
  return named.kind === "person" ? named.name : `${named.kind} ${quoted(named.name)}`;
}

/**
 * Describes what an entry records, as the rest of a sentence that begins with the actor.
 *
 * @param nameOf returns what an id belongs to
 */
export function sentenceOf({ event, detail }: Pick<RecordedEntry, "event" | "detail">, nameOf: NameOf) {
  const known = Object.hasOwn(SENTENCES, event) ? SENTENCES[event as AuditEvent] : event;
  const template = typeof known === "string" ? known : known(detail);
  return template.replaceAll(
    /(the (\w+) )?(“?)\{([\w.*]+)\}/g,
    (_, article = "", kind, quote: string, path: string) => {
      const values = [path === "*" ? changedIn(detail) : at(detail, path)].flat().map(textOf);
      const shown = (value: string) => (quote === "" ? value : plain(value));
      if (!IDS.includes(path)) return `${article}${quote}${values.map(shown).join(", ")}`;
      const named = values.map((value) => mentionOf(value, nameOf(value), path === "ids" ? "token" : kind));
      return `${article}${named.join(", ")}`;
    },
  );
}

/** Returns an id's name, with its kind unless the sentence has just said it. */
function mentionOf(id: string, named: Named | undefined, saidKind: unknown): string {
  if (named === undefined) return /^[\w:/.|-]+$/.test(id) ? id : quoted(id);
  if (named.kind === "person") return named.name;
  return named.kind === saidKind ? quoted(named.name) : `the ${named.kind} ${quoted(named.name)}`;
}

function quoted(name: string): string {
  return `“${plain(name)}”`;
}

/** Returns a name that can't end its own quotation marks. */
function plain(name: string): string {
  return name.replaceAll(/[“”]/g, "'");
}

/** Returns the ids in entries that may have names, including actors. */
export function idsIn(entries: readonly Pick<RecordedEntry, "actor" | "detail">[]): string[] {
  const ids = entries.flatMap(({ actor, detail }) => [actor, ...IDS.flatMap((name) => [detail[name]].flat())]);
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}

function at(detail: Detail, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Detail | null | undefined)?.[name], detail);
}

/** Returns the names of the members that a change changed. */
function changedIn({ before, after }: Detail): string[] {
  const [old, now] = [before, after] as (Detail | null | undefined)[];
  return Object.keys(now ?? {}).filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "…" : JSON.stringify(value);
}
