-- Gatehouse: everything that must not be lost but documents: each instance's are in a database of their own (src/documents/).
-- Applying this file again changes nothing.
-- Times are seconds since 1970. Secrets are stored as hashes where they are only compared, sealed where they are used.
-- This file is the newest version whole; schema/ holds the steps to it from the versions that were released.

-- Which versions this database went through: of two runs that apply the same one, the second meets the first's row.
CREATE TABLE IF NOT EXISTS schema_versions (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
);

-- Since when a master key is the current one; what was made before is under another.
CREATE TABLE IF NOT EXISTS master_keys (
  id TEXT PRIMARY KEY,
  current_since INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS instances (
  -- Random: it names the object with the instance's documents, which outlives this database.
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL,
  single_sign_on TEXT,
  -- The engine that keeps its documents: its object, or postgres:<service binding>; and the turn of the move that brought them there.
  documents TEXT NOT NULL DEFAULT 'object',
  documents_turn INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);

-- The latest move of an instance's documents to another engine (src/documents/moving/move.ts). The turn goes up with each stage:
-- engines refuse requests of an earlier turn.
CREATE TABLE IF NOT EXISTS document_moves (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  turn INTEGER NOT NULL,
  -- The turn in which it began.
  move INTEGER NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('copying', 'sealed', 'switched', 'moved', 'erasing', 'erased', 'returning', 'returned')),
  requested_by TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- Lines that were copied, and about how many there are.
  copied INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL,
  -- Changes that the copy still has to follow, as they were last counted; NULL: it is not at its end.
  behind INTEGER,
  -- Documents that both engines counted before the switch.
  counted INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  problem TEXT
);

-- One row a person. The SSO's issuer and subject are the identity; they are empty until the first sign-in of someone whom
-- an administrator named by email. directory_groups is what the SSO said at the last sign-in.
CREATE TABLE IF NOT EXISTS people (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  sso_issuer TEXT,
  sso_subject TEXT,
  email TEXT NOT NULL,
  -- Whether the SSO said at the last sign-in that this email is theirs.
  email_verified INTEGER NOT NULL DEFAULT 0,
  name TEXT NOT NULL,
  directory_groups TEXT NOT NULL DEFAULT '[]',
  -- When the directory said so: an older token must not undo what a newer sign-in brought.
  directory_read_at INTEGER NOT NULL DEFAULT 0,
  -- What they may do in the console (src/people/role.ts); empty: nothing.
  role TEXT CHECK (role IN ('owner', 'administrator', 'app-manager', 'auditor')),
  created_at INTEGER NOT NULL,
  last_sign_in_at INTEGER,
  deactivated_at INTEGER,
  -- Who decided that, as the audit names them: a directory lets in only whom it shut out itself.
  deactivated_by TEXT,
  -- When an administrator gave the email free: the row keeps its id and is nobody's any more.
  released_at INTEGER,
  -- The email until then: tokens issued before the release still name it.
  released_email TEXT,
  -- When the organisation last said that all their sign-ins are over: identity providers' tokens from before it are refused.
  signed_out_at INTEGER,
  -- How often it said so.
  sign_outs INTEGER NOT NULL DEFAULT 0,
  UNIQUE (instance_id, email),
  UNIQUE (instance_id, sso_issuer, sso_subject)
);
-- Whether there is another owner, asked before one ends.
CREATE INDEX IF NOT EXISTS people_owners ON people (instance_id) WHERE role = 'owner';
CREATE INDEX IF NOT EXISTS people_by_released_email ON people (instance_id, released_email) WHERE released_email IS NOT NULL;

-- How many rows an instance has in people, so that nobody counts them to add one: a token of somebody unknown would read them all.
-- Triggers write it; backups leave it out.
CREATE TABLE IF NOT EXISTS people_counts (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  people INTEGER NOT NULL DEFAULT 0
);
CREATE TRIGGER IF NOT EXISTS people_counts_begin AFTER INSERT ON instances
BEGIN
  INSERT INTO people_counts (instance_id) VALUES (new.id);
END;
CREATE TRIGGER IF NOT EXISTS people_counts_up AFTER INSERT ON people
BEGIN
  UPDATE people_counts SET people = people + 1 WHERE instance_id = new.instance_id;
END;
CREATE TRIGGER IF NOT EXISTS people_counts_down AFTER DELETE ON people
BEGIN
  UPDATE people_counts SET people = people - 1 WHERE instance_id = old.instance_id;
END;

-- The accounts at identity providers that acted for a person: the first token of an account links it, or a sign-in that names the
-- account otherwise than by its subject, and from then on it means this person and nobody else, whatever email it asserts.
CREATE TABLE IF NOT EXISTS linked_accounts (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (id),
  linked_at INTEGER NOT NULL,
  -- When the newest token that brought groups was issued.
  groups_read_at INTEGER NOT NULL DEFAULT 0,
  -- 1: somebody who was released signed in with it. They may have another one of the issuer, from its tokens.
  signed_in INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (instance_id, issuer, subject),
  UNIQUE (person_id, issuer, signed_in)
) WITHOUT ROWID;

-- People as an organisation's directory provisions them by SCIM (src/directories/); a directory is the name in its token's scope.
CREATE TABLE IF NOT EXISTS directory_users (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  directory TEXT NOT NULL,
  person_id TEXT NOT NULL UNIQUE REFERENCES people (id),
  -- Folded; the attributes have it as it was written.
  user_name TEXT NOT NULL,
  external_id TEXT,
  is_active INTEGER NOT NULL,
  attributes TEXT NOT NULL,
  -- Another random text with each change: what a change is conditional on.
  revision TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (instance_id, directory, user_name)
);
CREATE INDEX IF NOT EXISTS directory_users_by_external_id ON directory_users (instance_id, directory, external_id)
  WHERE external_id IS NOT NULL;
-- A group's name is what permissions of documents say: only one directory of an instance has it.
CREATE TABLE IF NOT EXISTS directory_groups (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  directory TEXT NOT NULL,
  name TEXT NOT NULL,
  display_name TEXT NOT NULL,
  external_id TEXT,
  revision TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (instance_id, name)
);
CREATE TABLE IF NOT EXISTS directory_members (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  group_id TEXT NOT NULL REFERENCES directory_groups (id),
  user_id TEXT NOT NULL REFERENCES directory_users (id),
  PRIMARY KEY (group_id, user_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS directory_members_by_user ON directory_members (user_id, group_id);

-- Clients of three kinds: made by an administrator, registered by themselves, or described by a document at their id.
CREATE TABLE IF NOT EXISTS clients (
  id TEXT NOT NULL,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  kind TEXT NOT NULL CHECK (kind IN ('static', 'dynamic', 'document')),
  name TEXT NOT NULL,
  client_uri TEXT,
  policy_uri TEXT,
  tos_uri TEXT,
  redirect_uris TEXT NOT NULL,
  scopes TEXT NOT NULL,
  token_endpoint_auth_method TEXT NOT NULL,
  -- Whether requests without credentials may be its: it has none, or its document lists 'none' beside a key.
  is_public INTEGER NOT NULL DEFAULT 0,
  -- What a request proves that authenticates it: the hash of its secret, or a name for the keys below.
  proof TEXT,
  -- JSON, for private_key_jwt: {"jwksUri": …} or {"jwks": […]}.
  keys TEXT,
  -- What administrators require of it, and what it says that it always does (src/protocol/app-requirements.ts).
  requirements TEXT NOT NULL DEFAULT '[]',
  declared_requirements TEXT NOT NULL DEFAULT '[]',
  -- For managing a registration; only its bearer may (RFC 7592).
  registration_token_hash TEXT,
  -- The network that registered it, where the platform says so: one caller has so many that nobody
  -- has used. Forgotten with the first use.
  caller TEXT,
  is_pending INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- When an administrator approved it; from then on nothing sweeps it away.
  kept_at INTEGER,
  last_authorized_at INTEGER,
  disabled_at INTEGER,
  PRIMARY KEY (id, instance_id)
);
CREATE INDEX IF NOT EXISTS clients_by_instance ON clients (instance_id, created_at);
-- Few among the many that registered: these are listed without reading past the others.
CREATE INDEX IF NOT EXISTS clients_made ON clients (instance_id, created_at, id) WHERE kind = 'static';
CREATE INDEX IF NOT EXISTS clients_waiting ON clients (instance_id, created_at, id) WHERE is_pending = 1;
-- What nobody has used or decided about: counted before another registers, and swept in the end.
CREATE INDEX IF NOT EXISTS clients_unused_by_caller ON clients (instance_id, caller, created_at)
  WHERE last_authorized_at IS NULL AND disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static';
-- Self-registered ones that people allowed: swept long after the last of their grants.
CREATE INDEX IF NOT EXISTS clients_allowed ON clients (last_authorized_at)
  WHERE last_authorized_at IS NOT NULL AND disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static';
CREATE INDEX IF NOT EXISTS clients_never_used ON clients (created_at) WHERE last_authorized_at IS NULL;

-- The ids of signed messages that are good once (src/spent-ids/), until they expire. Each costs one row written: an index by expiry
-- would double that to spare the hourly sweep a scan.
CREATE TABLE IF NOT EXISTS spent_ids (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  purpose TEXT NOT NULL,
  -- Of the sender and the id.
  id_hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, purpose, id_hash)
) WITHOUT ROWID;

-- An authorization request on its way: pushed by its client, where it does that (handle = what the reference ends with; no browser is known
-- yet), at the SSO (handle = the state sent there), then before the consent page.
CREATE TABLE IF NOT EXISTS authorization_requests (
  handle_hash TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  stage TEXT NOT NULL CHECK (stage IN ('pushed', 'sign-in', 'returned', 'consent')),
  browser_hash TEXT NOT NULL,
  client_id TEXT NOT NULL,
  request TEXT NOT NULL,
  person_id TEXT,
  -- The session at the SSO that the person signed in with, as a hash; empty where the SSO names none.
  sso_session TEXT,
  -- The network that it came from, where the platform says so: one caller has so many at once.
  caller TEXT,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS authorization_requests_by_client ON authorization_requests (client_id, instance_id);
CREATE INDEX IF NOT EXISTS authorization_requests_by_caller ON authorization_requests (caller, instance_id, expires_at)
  WHERE caller IS NOT NULL;
CREATE INDEX IF NOT EXISTS authorization_requests_by_person ON authorization_requests (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS authorization_requests_by_expiry ON authorization_requests (expires_at);
CREATE INDEX IF NOT EXISTS authorization_requests_by_sso_session ON authorization_requests (instance_id, sso_session)
  WHERE sso_session IS NOT NULL;

-- A sign-in to our own pages on its way to the SSO, then the session that it led to.
CREATE TABLE IF NOT EXISTS session_sign_ins (
  state_hash TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  browser_hash TEXT NOT NULL,
  return_to TEXT NOT NULL,
  -- Of a step-up: who has to sign in again, and the sealed form that waits for it.
  person_id TEXT,
  sealed_form TEXT,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS session_sign_ins_by_expiry ON session_sign_ins (expires_at);
CREATE INDEX IF NOT EXISTS session_sign_ins_by_person ON session_sign_ins (person_id) WHERE person_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS sessions (
  secret_hash TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  person_id TEXT NOT NULL REFERENCES people (id),
  created_at INTEGER NOT NULL,
  -- To within a few minutes, so that a page view is not a write.
  last_used_at INTEGER NOT NULL DEFAULT 0,
  -- When the person authenticated at the SSO, where it said so and in the way that a step-up asks for.
  authenticated_at INTEGER,
  -- The session at the SSO that it came from, as a hash.
  sso_session TEXT,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_by_expiry ON sessions (expires_at);
CREATE INDEX IF NOT EXISTS sessions_by_sso_session ON sessions (instance_id, sso_session) WHERE sso_session IS NOT NULL;
CREATE INDEX IF NOT EXISTS sessions_by_person ON sessions (instance_id, person_id, created_at);

-- A grant is one row: written with its code's hash at consent, claimed once by the code, rotated by each refresh.
CREATE TABLE IF NOT EXISTS grants (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (id),
  scope TEXT NOT NULL,
  resource TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  code_hash TEXT NOT NULL UNIQUE,
  code_challenge TEXT NOT NULL,
  -- The key that the code is for, and then that of the last tokens (RFC 9449 §5, §10): what was bound stays bound.
  key_thumbprint TEXT,
  -- What the ID token of the code repeats.
  nonce TEXT,
  code_expires_at INTEGER NOT NULL,
  redeemed_at INTEGER,
  -- Its client has authenticated itself once, and from then on has to (docs/decisions/0011-client-keys.md).
  is_client_proven INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  rotated_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the last access token of the grant expires: from then on nobody needs to hear that it was revoked.
  tokens_until INTEGER NOT NULL DEFAULT 0,
  -- The session at the SSO in which it was given, as a hash.
  sso_session TEXT,
  revoked_at INTEGER,
  revoked_reason TEXT,
  -- The issuer on whose assertion the grant rests; NULL where the person consented.
  asserted_by TEXT
);
CREATE INDEX IF NOT EXISTS grants_asserted ON grants (instance_id, asserted_by) WHERE asserted_by IS NOT NULL;
CREATE INDEX IF NOT EXISTS grants_by_instance ON grants (instance_id, created_at, id);
CREATE INDEX IF NOT EXISTS grants_by_person ON grants (person_id, created_at);
CREATE INDEX IF NOT EXISTS grants_by_client ON grants (client_id, instance_id);
CREATE INDEX IF NOT EXISTS grants_by_expiry ON grants (expires_at);
CREATE INDEX IF NOT EXISTS grants_by_sso_session ON grants (instance_id, sso_session) WHERE sso_session IS NOT NULL;

-- A key is published before it signs and after it has signed, so that nobody meets a signature by a key not seen yet.
CREATE TABLE IF NOT EXISTS signing_keys (
  kid TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  public_jwk TEXT NOT NULL,
  sealed_private_jwk TEXT NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('next', 'signing', 'retired')),
  created_at INTEGER NOT NULL,
  -- Since when the key is in its stage.
  staged_at INTEGER NOT NULL
);
-- At most one key of an instance signs and one is next: two isolates that both find none cannot both make one.
CREATE UNIQUE INDEX IF NOT EXISTS signing_keys_one_a_stage ON signing_keys (instance_id, stage) WHERE stage <> 'retired';
-- Each policy reads its instance's keys; the cron trigger looks for those of all instances that have been in a stage for long.
CREATE INDEX IF NOT EXISTS signing_keys_by_instance ON signing_keys (instance_id, staged_at);
CREATE INDEX IF NOT EXISTS signing_keys_by_stage ON signing_keys (stage, staged_at);

-- Identity providers whose access tokens the Client API takes.
CREATE TABLE IF NOT EXISTS external_issuers (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  issuer TEXT NOT NULL,
  configuration TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  disabled_at INTEGER,
  -- Tells a registration from an earlier one of the same issuer, also within one second.
  registration TEXT NOT NULL DEFAULT (hex(randomblob(8))),
  PRIMARY KEY (instance_id, issuer)
) WITHOUT ROWID;

-- Which groups may use an app, and with which scopes; an app without a row is for everybody.
CREATE TABLE IF NOT EXISTS app_rules (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  -- A client's id, an identity provider and its client id: https://idp.example.com|client, or self-registered: all other clients that no
  -- administrator created.
  app TEXT NOT NULL,
  -- JSON: [{"group": …, "scopes": […]}].
  rules TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, app)
) WITHOUT ROWID;

-- An id that is a document's address may come back, and is then held to its rules; other ids are never given again.
CREATE TRIGGER IF NOT EXISTS app_rules_of_deleted_client AFTER DELETE ON clients WHEN old.kind <> 'document'
BEGIN
  DELETE FROM app_rules WHERE instance_id = old.instance_id AND app = old.id;
END;

-- Systems that may sign people out here: transmitters of security events, and identity providers beside the SSO.
CREATE TABLE IF NOT EXISTS signal_transmitters (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  issuer TEXT NOT NULL,
  configuration TEXT NOT NULL,
  -- Of the Authorization header that it sends, where it sends one.
  authorization_hash TEXT,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- When it last sent the event by which it shows that it can.
  verified_at INTEGER,
  PRIMARY KEY (instance_id, issuer)
) WITHOUT ROWID;

-- Machines. Each is also a client and a row of people, under the same id; what stands there as its email is no address.
CREATE TABLE IF NOT EXISTS service_accounts (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  name TEXT NOT NULL,
  -- JSON: which of its platform's tokens stand for it; NULL for one that has keys of its own.
  workload TEXT,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (instance_id, name)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS service_tokens (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  kind TEXT NOT NULL CHECK (kind IN ('client-api', 'indexing', 'admin', 'scim')),
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  person_id TEXT REFERENCES people (id),
  -- The person or the token that issued it, or the name of a command: admin tokens end with whoever issued them.
  created_by TEXT NOT NULL,
  -- Networks that the token may be used from, as CIDR blocks; empty: any.
  networks TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  -- When it was revoked or its secret rotated. It only grows: isolates read again what they remember of an older one.
  changed_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  -- To the hour, so that a used token costs no write a request.
  last_used_at INTEGER
);
CREATE INDEX IF NOT EXISTS service_tokens_by_instance ON service_tokens (instance_id, created_at);
CREATE INDEX IF NOT EXISTS service_tokens_by_issuer ON service_tokens (instance_id, kind, created_by);
CREATE INDEX IF NOT EXISTS service_tokens_by_person ON service_tokens (person_id, instance_id) WHERE person_id IS NOT NULL;

-- A token's secrets, by hash: the current one, and for ten minutes each one that it replaced.
CREATE TABLE IF NOT EXISTS service_token_secrets (
  secret_hash TEXT PRIMARY KEY,
  token_id TEXT NOT NULL REFERENCES service_tokens (id),
  -- The person, or the name of a command, behind it: of a secret that a token was shown, the holder of the secret that it presented.
  holder TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS service_token_secrets_by_token ON service_token_secrets (token_id);
CREATE INDEX IF NOT EXISTS service_token_secrets_by_holder ON service_token_secrets (holder);

-- The tokens through which an admin token's secret came to be: the one that was shown it, and those of the secret that this one presented.
-- Nothing that becomes of their other secrets changes it.
CREATE TABLE IF NOT EXISTS service_token_origins (
  secret_hash TEXT NOT NULL REFERENCES service_token_secrets (secret_hash) ON DELETE CASCADE,
  origin TEXT NOT NULL,
  PRIMARY KEY (secret_hash, origin)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS service_token_origins_by_origin ON service_token_origins (origin);

-- The policy's changes, in their order: what the policy snapshot (src/instance/) is made of and has moved. An isolate asks for
-- what is newer than the last id that it has seen. Triggers write it, so that no statement can forget to; an id is never given
-- again, and a row is swept once every isolate has read it and every access token from before it has expired.
CREATE TABLE IF NOT EXISTS policy_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('instance', 'signing-key', 'external-issuer', 'app-rules', 'grant', 'client', 'person', 'service-token')),
  -- The id of what changed; empty where the kind is read whole.
  subject TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS policy_changes_by_instance ON policy_changes (instance_id, id);
CREATE TRIGGER IF NOT EXISTS policy_instance_changed AFTER UPDATE OF name, settings, single_sign_on, documents ON instances
WHEN new.name IS NOT old.name OR new.settings IS NOT old.settings OR new.single_sign_on IS NOT old.single_sign_on
  OR new.documents IS NOT old.documents
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.id, 'instance', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_signing_key_made AFTER INSERT ON signing_keys
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'signing-key', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_signing_key_deleted AFTER DELETE ON signing_keys
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (old.instance_id, 'signing-key', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_signing_key_staged AFTER UPDATE OF public_jwk, stage ON signing_keys
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'signing-key', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_external_issuer_added AFTER INSERT ON external_issuers
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'external-issuer', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_external_issuer_changed AFTER UPDATE OF configuration, disabled_at ON external_issuers
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'external-issuer', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_external_issuer_removed AFTER DELETE ON external_issuers
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (old.instance_id, 'external-issuer', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_app_rules_added AFTER INSERT ON app_rules
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'app-rules', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_app_rules_changed AFTER UPDATE ON app_rules
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'app-rules', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_app_rules_removed AFTER DELETE ON app_rules
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (old.instance_id, 'app-rules', '', unixepoch());
END;
-- Only a grant with an access token that has not expired by itself.
CREATE TRIGGER IF NOT EXISTS policy_grant_revoked AFTER UPDATE OF revoked_at ON grants
WHEN old.revoked_at IS NULL AND new.revoked_at IS NOT NULL AND new.tokens_until > new.revoked_at
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'grant', new.id, unixepoch());
END;
-- Only a client that somebody has allowed, or the first time that somebody allows one that changed before: others have no tokens.
CREATE TRIGGER IF NOT EXISTS policy_client_changed AFTER UPDATE OF scopes, disabled_at, changed_at, last_authorized_at ON clients
WHEN new.last_authorized_at IS NOT NULL AND (
  new.scopes IS NOT old.scopes OR new.disabled_at IS NOT old.disabled_at OR new.changed_at IS NOT old.changed_at
  OR (old.last_authorized_at IS NULL AND new.changed_at > new.created_at)
)
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'client', new.id, unixepoch());
END;
-- What isolates remember of the person's service-issued tokens is read again, too.
CREATE TRIGGER IF NOT EXISTS policy_person_deactivated AFTER UPDATE OF deactivated_at ON people
WHEN new.deactivated_at IS NOT old.deactivated_at
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'person', new.id, unixepoch());
  UPDATE service_tokens SET changed_at = max(changed_at + 1, unixepoch())
  WHERE instance_id = new.instance_id AND person_id = new.id;
END;
-- Only where identity providers' tokens are accepted: everything else that isolates remember ends with a row of its own.
CREATE TRIGGER IF NOT EXISTS policy_person_signed_out AFTER UPDATE OF signed_out_at ON people
WHEN new.signed_out_at IS NOT old.signed_out_at
  AND EXISTS (SELECT 1 FROM external_issuers WHERE instance_id = new.instance_id)
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'person', new.id, unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_service_token_changed AFTER UPDATE OF changed_at, revoked_at ON service_tokens
WHEN new.changed_at IS NOT old.changed_at OR new.revoked_at IS NOT old.revoked_at
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'service-token', new.id, unixepoch());
END;

-- Custom Metadata: groups and their keys; the values are with the documents. An id is never given again, so that values which
-- outlive their key or group until the clean-up belong to nothing that comes later.
CREATE TABLE IF NOT EXISTS metadata_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  -- Folded; display_name is as it was first written.
  name TEXT NOT NULL,
  display_name TEXT NOT NULL,
  -- Moves on with every change, so that the documents know the newest.
  version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  UNIQUE (instance_id, name)
);
CREATE TABLE IF NOT EXISTS metadata_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  group_id INTEGER NOT NULL REFERENCES metadata_groups (id),
  name TEXT NOT NULL,
  display_name TEXT NOT NULL,
  -- Group and key without a separator, folded: how queries and facets name the key. Two keys cannot have one.
  facet_name TEXT NOT NULL,
  property_type TEXT NOT NULL CHECK (property_type IN ('TEXT', 'PICKLIST', 'TEXTLIST', 'MULTIPICKLIST')),
  skip_indexing INTEGER NOT NULL DEFAULT 0,
  -- Its place in the group's schema.
  position INTEGER NOT NULL DEFAULT 0,
  UNIQUE (group_id, name),
  UNIQUE (instance_id, facet_name)
);
-- How the instance is used, by day (days since 1970): tokens issued and requests refused, by kind and reason.
CREATE TABLE IF NOT EXISTS usage_counts (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  day INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('token', 'refusal')),
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (instance_id, day, kind, name)
) WITHOUT ROWID;

-- The last requests that failed through no fault of their senders.
CREATE TABLE IF NOT EXISTS failures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  path TEXT NOT NULL,
  reason TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS failures_by_instance ON failures (instance_id, id);

-- How apps connected lately: what was refused on the way, and how far each came.
CREATE TABLE IF NOT EXISTS connection_steps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  step TEXT NOT NULL,
  -- Why it was refused, and what the caller was told; neither where the step was passed.
  reason TEXT,
  message TEXT,
  client_id TEXT,
  -- The grant that it leads to; its row comes with the consent.
  grant_id TEXT,
  network TEXT,
  -- 1 where somebody who signed in took it; anybody can cause the others.
  is_of_person INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS connection_steps_by_kind ON connection_steps (instance_id, is_of_person, id);
CREATE INDEX IF NOT EXISTS connection_steps_by_network ON connection_steps (instance_id, is_of_person, network, id)
  WHERE network IS NOT NULL;
CREATE INDEX IF NOT EXISTS connection_steps_by_time ON connection_steps (at);

-- Append only. An entry is written in the transaction of the act that it records, in the next place of its instance; the
-- hashes that chain it to the entry before follow a moment later.
CREATE TABLE IF NOT EXISTS audit (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  event TEXT NOT NULL,
  detail TEXT NOT NULL,
  previous_hash TEXT,
  hash TEXT,
  PRIMARY KEY (instance_id, sequence)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS audit_unsealed ON audit (instance_id, sequence) WHERE hash IS NULL;
-- Where a chain may begin: few entries among many.
CREATE INDEX IF NOT EXISTS audit_cuts ON audit (instance_id, sequence) WHERE event = 'audit_trimmed';
CREATE INDEX IF NOT EXISTS audit_by_time ON audit (instance_id, at);
-- Counts the refusals of the last hour: they have a limit, because anybody can cause them.
CREATE INDEX IF NOT EXISTS audit_refusals ON audit (instance_id, event, at) WHERE event IN ('access_refused', 'request_refused');

-- How far the receiver that an administrator set (setting auditReceiver) has the audit.
CREATE TABLE IF NOT EXISTS audit_deliveries (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  delivered_through INTEGER NOT NULL,
  delivered_at INTEGER,
  -- One after the other, since the last success.
  failures INTEGER NOT NULL,
  last_error TEXT,
  -- Nothing is sent before. While a run delivers, until when no other one may.
  next_at INTEGER NOT NULL,
  -- The Authorization header that the receiver wants, and the address that it was entered for: another one never gets it.
  sealed_authorization TEXT,
  authorization_for TEXT
);

-- The picture on an instance's pages; its hash is also the setting `logo`.
CREATE TABLE IF NOT EXISTS logos (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  hash TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('image/png', 'image/jpeg', 'image/webp')),
  -- In base64.
  data TEXT NOT NULL
);

-- When the cron trigger last did its work, and what of it failed.
CREATE TABLE IF NOT EXISTS maintenance_runs (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ran_at INTEGER NOT NULL,
  failed TEXT NOT NULL
);
