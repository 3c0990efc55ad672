import { APP_WORDS } from "#clients/app-members.ts";
import { ISSUER_WORDS } from "#issuers/issuer-members.ts";
import type { Words } from "#platform/described-members.ts";
import { GLOSSARY_WORDS } from "#glossary/glossary-members.ts";
import { SETTING_WORDS } from "#settings/setting-members.ts";

const ISSUER_REQUESTS = ["IssuerRequest", "IssuerReplacement", "IssuerChanges"];
const ISSUER_API_WORDS = Object.fromEntries(Object.entries(ISSUER_WORDS).map(([name, { api }]) => [name, api]));

const GROUPS_OF_MACHINE: Words = [
  "Directory groups whose documents it may see, as permissions of documents name them",
  ["finance"],
];

const GROUP_OF_RULE: Words = ["Name of the group, as permissions of documents name it; `*` is everybody", "sales"];

const FIELD_OF_CONDITION: Words = [
  "`datasource`, `type`, or the group and key of custom metadata in one word",
  "datasource",
];
const VALUES_OF_CONDITION: Words = ["Whole values, in any case; documents need one of them", ["wiki"]];

/** Descriptions of members that only the Admin API has. */
export const ADMIN_WORDS: Readonly<Record<string, Words>> = {
  changed: ["Whether the call changed anything"],
  revoked: ["How many grants were revoked", 12],
  ended: ["How many sessions were ended", 3],
  items: ["The items on this page"],
  total: ["Number of items on all pages", 123],
  previousCursor: [
    "Send this as `cursor` to get the page before; `null` on the first page",
    "WyJuYW1lIiwiYWNtZSIsdHJ1ZV0",
  ],
  nextCursor: ["Send this as `cursor` to get the next page; `null` on the last page", "WyJuYW1lIiwiYWNtZSJd"],
  field: ["The member or parameter that caused the error, if there is one", "redirectUris"],

  // Apps and grants.
  "AdminAppRules.app": [
    "The app's client id; an identity provider's application: `<issuer>|<client id>`; or `self-registered`: all apps that no administrator created, unless they have rules of their own",
    "4fVk2mTq8ZpYw1nB7sXc0A",
  ],
  rules: ["The groups that may use the app; empty: everybody, with the app's scopes"],
  content: ["What the app may search: documents that meet all conditions; empty: everything that its person may see"],
  "ContentCondition.field": FIELD_OF_CONDITION,
  "ContentConditionRequest.field": FIELD_OF_CONDITION,
  "ContentCondition.values": VALUES_OF_CONDITION,
  "ContentConditionRequest.values": VALUES_OF_CONDITION,
  "AppContent.content": ["Conditions that documents must all meet; empty: everything that the person may see"],
  "AppContent.changedAt": [
    "Time of the last change, in seconds since 1970; `null` without rules and conditions",
    1767225600,
  ],
  "AppContent.app": ["The app’s id, as in the request", "4fVk2mTq8ZpYw1nB7sXc0A"],
  "AppContent.warnings": [
    "A sentence for each condition whose field does not exist, so that nothing is found until it does",
    ["There is no field statuss, so nothing is found until it exists. Known fields: datasource, type, from"],
  ],
  isExcluded: ["Whether documents with one of the values are left out, instead of all others", false],
  "AdminAppRule.group": GROUP_OF_RULE,
  "AppRuleRequest.group": GROUP_OF_RULE,
  "AdminAppRules.changedAt": ["Time of the last change, in seconds since 1970; `null` without rules", 1767225600],
  app: ["The app"],
  currentRole: ["The role that you read; if the person has another role by then, the response is 409", "auditor"],
  proof: [
    "How the service account proves itself: by its own keys, by its platform's tokens, or as the app of a client metadata document",
  ],
  client: [
    "The URL of the app's client metadata document, which is its client id",
    "https://agent.example.com/client.json",
  ],
  workload: ["Which of its platform's tokens are accepted for the service account"],
  claims: ["Claims that must have exactly these values", { repository: "acme/docs" }],
  "ServiceAccount.groups": GROUPS_OF_MACHINE,
  "AdminPostServiceAccountsRequest.groups": GROUPS_OF_MACHINE,
  "AdminPatchServiceAccountsByIdRequest.groups": GROUPS_OF_MACHINE,
  isSingleUse: ["Whether each of its platform's tokens is accepted only once"],
  clientUri: ["The app's home page, according to the app", "https://app.example.com"],
  policyUri: ["The app's privacy policy, according to the app", "https://app.example.com/privacy"],
  tosUri: ["The app's terms of service, according to the app", "https://app.example.com/terms"],
  scopes: ["Allowed scopes", ["SEARCH"]],
  isNameNew: ["Whether to refuse this if administrators have already created an app of the same name"],
  tokenEndpointAuthMethod: ["How the app authenticates to the token endpoint"],
  isPublic: ["Whether this is a public client, which has no credentials"],
  keys: ["The app's public keys, or their URL"],
  jwksUri: ["URL of the public keys", "https://app.example.com/jwks.json"],
  jwks: ["Public keys (RFC 7517)"],
  kty: ["Key type", "EC"],
  isPending: ["Whether the app is waiting for approval"],
  isApproved: ["Whether an administrator approved the app in its current form"],
  installs: ["How many installs the app has: clients that registered themselves as this app", 3],
  requests: ["Who asked administrators to approve the app: the latest five"],
  purpose: ["What they need it for, as they typed it; may be empty", "Plans for spring"],
  askedAt: ["When, in seconds since 1970", 1767225600],
  deniedInstalls: ["How many of them administrators denied or disabled", 0],
  isDisabled: ["Whether it is disabled"],
  lastUsedAt: ["Time of last use, in seconds since 1970; `null` if never", 1767225600],
  "AdminApp.id": ["The app's client id", "4fVk2mTq8ZpYw1nB7sXc0A"],
  "AdminApp.app": ["The app's name in rules: its client id, unless it registered itself", "4fVk2mTq8ZpYw1nB7sXc0A"],
  "AdminApp.kind": ["Created by an administrator, self-registered, or described by a client metadata document"],
  secret: ["The secret; only this response contains it", "0dQ…"],
  personId: ["The person's id", "Kc3v5yJm0TqLw9aR2uXeZg"],
  personEmail: ["The person's email address", "ada@example.com"],
  clientId: ["The client id", "4fVk2mTq8ZpYw1nB7sXc0A"],
  clientName: ["The app's name", "Intranet"],
  scope: ["Scopes that were granted", "SEARCH offline_access"],
  lastTokensAt: ["When the app last received tokens, in seconds since 1970", 1767225600],
  assertedBy: [
    "The identity provider whose assertion created the grant; for a service account, its platform or its own id; `app:` and a client id if that app's token was exchanged; `null` if the person consented",
    "https://acme.okta.com",
  ],
  expiresAt: ["Expiry time, in seconds since 1970; `null` if it doesn't expire", 1798761600],

  // The audit, and how apps connect.
  sequence: ["Position in the audit, starting at 1, without gaps", 42],
  actor: ["Id of the person or token that made the change, or `command`", "Kc3v5yJm0TqLw9aR2uXeZg"],
  createdBy: [
    "Id of the person or token that issued the token or last replaced its secret, or `command`",
    "Kc3v5yJm0TqLw9aR2uXeZg",
  ],
  actorKind: ["Whether the actor is a person or a token; `null` for a command. A token can have any name", "token"],
  actorName: ["The person's email address, or the token's name", "terraform"],
  event: ["Type of event", "client_approved"],
  detail: ["Details of the event", { clientId: "4fVk2mTq8ZpYw1nB7sXc0A" }],
  hash: ["Hash that links the entry to the previous ones; `null` until the entry is sealed", "q1B…"],
  isWhole: ["Whether the audit is complete and unchanged, as far as it was checked"],
  "AuditVerification.entries": ["Entries checked", 2000],
  "AuditVerification.next": [
    "Where the next part begins: send it as `after`; `null` if nothing is left to check",
    2000,
  ],
  grantId: ["The grant that the attempt led to", "7LpQ2xUn5sVd8mJc1yRw0B"],
  network: ["Network of the caller", "192.0.2.7"],
  steps: ["The steps of the attempt, oldest first"],
  step: ["Type of step"],
  reason: ["Reason for a refusal; `null` if the step succeeded", "redirect_uri_mismatch"],
  "ConnectionStep.requestId": ["Id of the request, also found in the logs", "0f9e3c1a-5f0e-4a4e-9d7e-2f3f6f0a9b11"],
  "AdminGroupLine.keys": ["Number of keys", 4],
  "DocumentPlacement.engine": ["What keeps the documents: one `object`, or `shards:<number of objects>`", "object"],
  "DocumentMoveRequest.engine": ["What to move the documents to", "shards:2"],
  engines: ["What documents can be moved to", ["object", "shards:2"]],
  move: ["The latest move; `null` if the documents never moved"],
  "DocumentMove.from": ["The engine that the documents move from", "object"],
  "DocumentMove.to": ["The engine that the documents move to", "shards:2"],
  "DocumentMove.stage": ["How far the move is (docs/scaling.md)"],
  "DocumentMove.copied": ["Number of documents and other entries that were copied", 1200],
  "DocumentMove.total": ["Number of documents when the move started", 10000],
  "DocumentMove.behind": ["Changes that still have to be copied; `null` until the copy is complete", 12],
  "DocumentMove.counted": ["Number of documents that both engines counted; `null` before that", 10000],
  "DocumentMove.problem": ["The last problem; `null` if there is none", "An engine did not answer, or failed"],
  count: ["Number of documents with values", 120],
  isCapped: ["Whether there may be more documents than counted"],

  // What works, and what does not.
  check: ["What was checked", "Published keys"],
  verdict: ["How the check went"],
  meaning: ["What it means", "One key is published."],
  remedy: ["What to do, if anything", "Set the algorithm that the issuer signs with."],
  findings: ["The results of the checks"],
  providers: ["The SSO and the identity providers"],
  foundations: ["Storage, master keys, maintenance and rate limits"],
  "Diagnosis.documents": ["The instance's documents"],
  "TokenTrial.token": ["The token, of any kind", "eyJhbGciOiJSUzI1NiJ9.…"],
  route: ["The call of the Client API"],
  isExternal: [
    "Whether the token is announced as an identity provider's, by the header `X-Gatehouse-Auth-Type: OAUTH`",
  ],
  address: ["IP address of the caller; if absent, that of this request", "192.0.2.7"],
  "TokenExplanation.status": ["Status of the response", 403],
  "TokenExplanation.code": ["Error code of the response; `null` if the call is accepted", "client_not_registered"],
  "TokenExplanation.message": ["Message of the response", "The call is accepted."],
  "TokenExplanation.steps": ["What the gate checks, in order"],
  "TokenStep.title": ["What the gate checks", "Signature"],
  "TokenStep.text": ["What was compared with what", 'The claim azp is "portal".'],
  outcome: ["Whether the check passed; `open` if an earlier check failed"],
  "AccessQuestion.document": ["The document's URL, or its datasource and id", "wiki:42"],
  "AccessQuestion.app": [
    "The app that the person uses, named as for `/app-rules/{app}`, or the id of a service account; if absent, no app's conditions count",
    "9fJb2C0yP1k",
  ],
  externalId: ["The document's id in its datasource", "42"],
  isAllowed: ["Whether the person can find the document"],
  isWithheld: ["Whether the person may see the document, but this app may not search it"],
  isDeactivated: ["Whether the person is deactivated, and so finds nothing"],
  "AccessExplanation.rules": [
    "The people and groups in the document's permissions, at most 100. The ones that let the person in come first",
  ],
  ruleCount: ["Number of people and groups in the document's permissions", 2],
  "AccessRule.kind": ["Who the rule lets in"],
  "AccessRule.name": ["Email address, name of the group, or a JSON array of groups", "engineering"],
  isHeld: ["Whether the rule lets the person in"],
  "AccessRule.groups": ["The group, or the groups of the intersection"],
  "AccessGroup.name": ["Name of the group", "engineering"],
  source: ["How the person is a member; `null` if they are not"],
  "AccessGroupSource.by": ["Whether a directory group, the datasource's user or the email address makes them a member"],
  "AccessGroupSource.member": [
    "Directory group (from the directory or single sign-on), user id of the datasource, or email address",
    "u-17",
  ],
  "AccessGroupSource.path": ["The groups from there to this one", ["team-a", "engineering"]],

  // People.
  role: ["The person’s role; `null` without one", "auditor"],
  lastSignInAt: ["When the person last signed in, in seconds since 1970", 1767225600],
  deactivatedAt: ["When the person was deactivated, in seconds since 1970", 1767225600],

  // Identity providers and single sign-on.
  issuer: ["The issuer, exactly as in its tokens", "https://idp.example.com"],
  audience: ["The audience (`aud`) of its security events", "https://acme-be.example.com/signals/events"],
  authorizationSecret: ["Value of the Authorization header that it sends, if any", "Bearer 0dQ…"],
  hasAuthorizationSecret: ["Whether it has to send the stored Authorization header"],
  verifiedAt: ["When it last verified its event stream, in seconds since 1970; `null` if never", 1767225600],
  emailVouchedBy: ["Who vouches that an email address belongs to the person"],
  redirectUri: ["The redirect URI to register at the SSO", "https://acme-be.example.com/oauth/callback/2"],
  groupsMeetDirectory: [
    "Whether its groups are the directory’s groups; otherwise, they have the issuer in their names",
  ],
  emailDomains: ["Email domains of its people", ["example.com"]],
  groupsClaim: ["The claim that lists a person's groups", "groups"],
  requiredClaims: ["Claims that must have exactly these values", { tid: "acme" }],
  "SingleSignOn.scopes": ["Scopes requested from the SSO", "openid profile email"],
  "SingleSignOnRequest.scopes": ["Scopes requested from the SSO", "openid profile email"],
  "ListedSingleSignOn.scopes": ["Scopes requested from the SSO", "openid profile email"],
  "ListedSingleSignOnRequest.scopes": ["Scopes requested from the SSO", "openid profile email"],
  label: ["What the SSO’s button on the sign-in page says, if there are several", "Acme Labs"],
  emailClaim: ["The claim with the person's email address", "email"],
  clientAuthentication: ["How the client secret is sent to the SSO; if absent, the SSO's metadata decides"],
  clientSecret: ["The client secret at the SSO. Leave it out to keep the stored one", "…"],

  // Keys and tokens.
  kid: ["Key id", "x1Yb"],
  stage: ["Whether the key will be used next, signs now, or is retired"],
  stagedAt: ["When the key entered this stage, in seconds since 1970", 1767225600],
  isCompromised: ["Whether the old key is compromised, which ends its tokens"],
  token: ["The token"],
  person: ["Email address of the person that a Client API token acts for", "ada@example.com"],
  networks: ["Networks that the token can be used from; if empty, any network", ["192.0.2.0/24"]],
  lifetimeSeconds: ["Lifetime in seconds. `null` means no expiry, which only Client API tokens can have", 7_776_000],
  revokedAt: ["Time of revocation, in seconds since 1970", 1767225600],
  newPerson: ["Whether `person` may be somebody who has never signed in and whom no directory has provisioned"],
  endOthersNow: ["Whether old secrets stop working immediately instead of after ten minutes"],

  // The audit receiver, and what apps must do.
  receiver: ["Where audit entries are sent", "https://collector.example.com/gatehouse"],
  hasAuthorization: ["Whether deliveries to this receiver have an Authorization header"],
  authorization: ["Value of the Authorization header of deliveries; `null` for none", "Splunk 0dQ…"],
  waiting: ["Number of audit entries that the receiver doesn’t have yet", 0],
  lagSeconds: ["Age of the oldest of them, in seconds; 0 if there is none", 0],
  deliveredThrough: ["Sequence number of the last audit entry that the receiver has", 4711],
  deliveredAt: ["Time of the last delivery, in seconds since 1970; `null` before the first", 1767225600],
  failures: ["Failed attempts since the last delivery", 0],
  lastError: ["Why the last attempt failed; `null` if it didn't", "Error: the receiver answered 503"],
  nextAt: ["Nothing is sent before this time, in seconds since 1970", 1767225600],
  declaredRequirements: ["What the app says that it always does", ["dpop"]],

  // Described where they are defined.
  ...wordsOf(["AdminApp", "AdminPostAppsRequest", "AdminPatchAppsByIdRequest"], APP_WORDS),
  ...wordsOf(["Settings", "SettingsChanges"], SETTING_WORDS),
  ...wordsOf(["GlossaryEntry", "GlossaryEntryRequest"], GLOSSARY_WORDS),
  entries: ["What words are also called, by term"],
  "Glossary.changedAt": ["Time of the last change, in seconds since 1970; `null` if there never was one", 1767225600],
  ...wordsOf(["AdminIssuer", ...ISSUER_REQUESTS], ISSUER_API_WORDS),
  ...wordsOf(ISSUER_REQUESTS, {
    createdAt: ["Ignored, so that what was read can be sent", 1767225600],
    changedAt: ["Ignored, so that what was read can be sent", 1767225600],
    isDisabled: ["Ignored, so that what was read can be sent"],
  }),
};

/** Returns the descriptions of a noun's members, for the schemas that have them. */
function wordsOf(schemas: readonly string[], words: Readonly<Record<string, Words>>): Record<string, Words> {
  const entries = Object.entries(words);
  return Object.fromEntries(schemas.flatMap((schema) => entries.map(([name, of]) => [`${schema}.${name}`, of])));
}
