import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Words of a reason that people write differently. */
const WORDS: Readonly<Record<string, string>> = {
  acr: "method",
  csrf: "CSRF",
  dpop: "DPoP",
  external: "provider",
  "id jag": "ID-JAG",
  id: "ID",
  jkt: "key thumbprint",
  json: "JSON",
  jwt: "JWT",
  mcp: "MCP",
  rpc: "JSON-RPC",
  s256: "S256",
  scim: "SCIM",
  "sign in": "sign-in",
  sso: "single sign-on",
  "step up": "step-up",
  uri: "URI",
  uris: "URIs",
  url: "URL",
  utf8: "UTF-8",
};

/** Ends of reasons that come first in English: what was wrong, before the thing. */
const FAULTS: Readonly<Record<string, string>> = {
  broken: "invalid",
  differs: "mismatched",
  empty: "empty",
  invalid: "invalid",
  malformed: "invalid",
  missing: "missing",
  repeated: "duplicate",
  replayed: "reused",
  reused: "reused",
  stale: "outdated",
  "too many": "too many",
  unacceptable: "unacceptable",
  unknown: "unknown",
  unnamed: "unnamed",
  unsupported: "unsupported",
  wrong: "wrong",
};

/** Reasons that these rules would not turn into something that people say. */
const TITLES: Partial<Record<RefusalReason, string>> = {
  admin_object_unknown: "No such object in the Admin API",
  admin_scope_lacking: "Token without the required admin scope",
  app_not_for_person: "App not allowed for this person",
  body_broken_off: "Request interrupted",
  changed_since_read: "Changed by somebody else in the meantime",
  client_no_service_account: "App is not a service account",
  client_pending: "App waiting for approval",
  consent_denied: "Access denied by the person",
  consent_without_scopes: "No permission selected on the consent page",
  credential_missing: "No token sent",
  documents_not_empty: "Documents not empty",
  document_absent: "Document not found, or not visible to the person",
  external_token_is_event: "Provider’s security event used as a token",
  external_token_is_id_token: "Provider’s ID token used as an access token",
  external_token_sender_constrained: "Provider token bound to another sender",
  host_names_no_instance: "No instance at this host",
  indexing_scope_uncovered: "Datasource or group outside the token’s scope",
  jwt_on_admin_api: "App’s token sent to the Admin API",
  jwt_on_indexing_api: "App’s token sent to the Indexing API",
  jwt_on_scim: "App’s token sent to SCIM",
  no_route: "No page or API at this address",
  oauth_not_enabled: "OAuth for apps is off",
  person_absent: "No such person",
  person_email_taken: "Email address already in use",
  plain_http: "HTTP instead of HTTPS",
  redirect_uri_own: "Redirect URI of this service",
  refresh_token_as_access_token: "Refresh token used as an access token",
  registration_off: "Registration is off",
  requests_of_caller_too_many: "Too many requests from one caller",
  sender_gone: "Caller disconnected",
  signed_out_since: "Signed out in the meantime",
  storage_behind_code: "Database older than the code",
  storage_ahead_of_code: "Data newer than the code",
  storage_without_tables: "Database without tables",
  token_bound_sent_as_bearer: "DPoP token sent as a bearer token",
  token_must_be_bound: "Token without DPoP",
  unexpected: "Unexpected error",
};

/** Returns a refusal's reason as text for administrators. */
export function wordsOf(reason: RefusalReason): string {
  const text = TITLES[reason] ?? saidOf(reason.replaceAll("_", " "));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function saidOf(reason: string): string {
  const fault = Object.keys(FAULTS).find((end) => reason.endsWith(` ${end}`));
  const thing = fault === undefined ? reason : reason.slice(0, -1 - fault.length);
  const said = thing.replaceAll(/id jag|sign in|step up|\w+/g, (word) => WORDS[word] ?? word);
  return fault === undefined ? said : `${FAULTS[fault]} ${said}`;
}
