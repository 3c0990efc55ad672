-- Gatehouse: everything that must not be lost, except documents, which are in another database for each instance
-- (src/documents/).
-- Applying this file again changes nothing.
-- Times are seconds since 1970. Secrets are stored as hashes if they are only compared, and encrypted if they are used.
-- This file is the whole of the newest version; schema/ has the steps to it from the released versions.

-- The versions that this database has gone through, and the oldest code that can still serve the tables of each, by the version that
-- it knows. If two runs apply the same one, the second fails on the first one's row.
CREATE TABLE IF NOT EXISTS schema_versions (
  version INTEGER PRIMARY KEY,
  oldest_reader INTEGER NOT NULL,
  applied_at INTEGER NOT NULL
);

-- Since when each master key has been the current one. Anything made before uses another key.
CREATE TABLE IF NOT EXISTS master_keys (
  id TEXT PRIMARY KEY,
  current_since INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS instances (
  -- Random, because it names the object with the instance's documents, which outlives this database.
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL,
  -- A list of the SSOs, each with its client secret encrypted.
  single_sign_on TEXT,
  -- The engine that keeps its documents: its object, or shards:<number of objects>; and the turn of the move that brought them
  -- there.
  documents TEXT NOT NULL DEFAULT 'object',
  documents_turn INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);

-- The latest move of an instance's documents to another engine (src/documents/moving/move.ts). The turn rises with each stage:
-- engines refuse requests of an earlier turn.
CREATE TABLE IF NOT EXISTS document_moves (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  turn INTEGER NOT NULL,
  -- The turn in which the move began.
  move INTEGER NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('copying', 'sealed', 'switched', 'moved', 'erasing', 'erased', 'returning', 'returned')),
  requested_by TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- Lines that were copied, and about how many there are in total.
  copied INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL,
  -- Changes that the copy still has to apply, when they were last counted; NULL until the copy has reached the end.
  behind INTEGER,
  -- Documents that both engines counted before the switch.
  counted INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  problem TEXT
);

-- One row per person, identified by the SSO's issuer and subject. Both are NULL until the first sign-in of somebody whom an
-- administrator added by email. directory_groups are the groups from the last sign-in at the SSO.
CREATE TABLE IF NOT EXISTS people (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  sso_issuer TEXT,
  sso_subject TEXT,
  email TEXT NOT NULL,
  -- Whether the SSO said at the last sign-in that the email is verified.
  email_verified INTEGER NOT NULL DEFAULT 0,
  name TEXT NOT NULL,
  directory_groups TEXT NOT NULL DEFAULT '[]',
  -- When the directory's groups were read, so that an older token doesn't undo what a newer sign-in brought.
  directory_read_at INTEGER NOT NULL DEFAULT 0,
  -- What they may do in the console (src/people/role.ts); NULL: nothing.
  role TEXT CHECK (role IN ('owner', 'administrator', 'app-manager', 'auditor')),
  created_at INTEGER NOT NULL,
  last_sign_in_at INTEGER,
  deactivated_at INTEGER,
  -- Who deactivated them, as the audit names the actor. A directory can only reactivate people whom it deactivated itself.
  deactivated_by TEXT,
  -- When an administrator released the email. The row keeps its id, but no longer belongs to anybody.
  released_at INTEGER,
  -- The email until the release, because tokens issued before still name it.
  released_email TEXT,
  -- When the organisation last ended all of their sign-ins, in milliseconds, because a token may be issued in the same second. It
  -- changes with each time. Identity providers' tokens from before are refused.
  signed_out_at INTEGER,
  -- How often the organisation did so.
  sign_outs INTEGER NOT NULL DEFAULT 0,
  UNIQUE (instance_id, email),
  UNIQUE (instance_id, sso_issuer, sso_subject)
);
-- Finds out whether there is another owner before one loses the role.
CREATE INDEX IF NOT EXISTS people_owners ON people (instance_id) WHERE role = 'owner';
CREATE INDEX IF NOT EXISTS people_by_released_email ON people (instance_id, released_email) WHERE released_email IS NOT NULL;

-- The number of an instance's rows in people, so that adding one doesn't count them all: otherwise a token of an unknown person
-- would read all rows. Triggers maintain it, and backups leave it out.
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

-- Accounts at identity providers that have acted for a person. An account is linked by its first token, or by a sign-in that
-- identifies it by something other than its subject. From then on it always means this person, whatever email it asserts.
CREATE TABLE IF NOT EXISTS linked_accounts (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (id),
  linked_at INTEGER NOT NULL,
  -- When the newest token that brought groups was issued.
  groups_read_at INTEGER NOT NULL DEFAULT 0,
  -- 1 for the account that a released person signed in with. They may have another account of the same issuer, linked by its
  -- tokens.
  signed_in INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (instance_id, issuer, subject),
  UNIQUE (person_id, issuer, signed_in)
) WITHOUT ROWID;

-- People that an organisation's directory provisions by SCIM (src/directories/). A directory is the name in its token's scope.
CREATE TABLE IF NOT EXISTS directory_users (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  directory TEXT NOT NULL,
  person_id TEXT NOT NULL UNIQUE REFERENCES people (id),
  -- Case-folded; the attributes have the original spelling.
  user_name TEXT NOT NULL,
  external_id TEXT,
  is_active INTEGER NOT NULL,
  attributes TEXT NOT NULL,
  -- A random text that changes with each change, for conditional requests.
  revision TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (instance_id, directory, user_name)
);
CREATE INDEX IF NOT EXISTS directory_users_by_external_id ON directory_users (instance_id, directory, external_id)
  WHERE external_id IS NOT NULL;
-- Documents' permissions name a group, so only one directory of an instance can have a group of that name.
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

-- Clients of three kinds: created by an administrator, self-registered, or described by a document at their id.
CREATE TABLE IF NOT EXISTS clients (
  id TEXT NOT NULL,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  kind TEXT NOT NULL CHECK (kind IN ('static', 'dynamic', 'document')),
  -- The app that it is an install of: its own id, or for a self-registered client what src/clients/app-identity.ts makes of its name and
  -- addresses. The variant is what an approval covers of it, apart from its scopes.
  app TEXT NOT NULL,
  variant TEXT,
  name TEXT NOT NULL,
  client_uri TEXT,
  policy_uri TEXT,
  tos_uri TEXT,
  redirect_uris TEXT NOT NULL,
  scopes TEXT NOT NULL,
  token_endpoint_auth_method TEXT NOT NULL,
  -- Whether requests without credentials are accepted: it has none, or its document lists 'none' in addition to a key.
  is_public INTEGER NOT NULL DEFAULT 0,
  -- What authenticates its requests: the hash of its secret, or an identifier of the keys below.
  proof TEXT,
  -- JSON, for private_key_jwt: {"jwksUri": …} or {"jwks": […]}.
  keys TEXT,
  -- What administrators require of it, and what it declares that it always does (src/protocol/app-requirements.ts).
  requirements TEXT NOT NULL DEFAULT '[]',
  declared_requirements TEXT NOT NULL DEFAULT '[]',
  -- Hash of the token that manages the registration; nobody without it can (RFC 7592).
  registration_token_hash TEXT,
  -- The network that registered it, if the platform reports it. The number of unused clients per network is limited. Deleted with the
  -- first use.
  caller TEXT,
  is_pending INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- When an administrator approved it. From then on it is never swept.
  kept_at INTEGER,
  last_authorized_at INTEGER,
  disabled_at INTEGER,
  -- Whether it may exchange access tokens of other apps. Only for clients that an administrator created.
  may_exchange INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (id, instance_id)
);
CREATE INDEX IF NOT EXISTS clients_exchanging ON clients (instance_id, id) WHERE may_exchange = 1;
CREATE INDEX IF NOT EXISTS clients_by_instance ON clients (instance_id, created_at);
-- Few among many registered clients, so indexes list them without reading the others.
CREATE INDEX IF NOT EXISTS clients_made ON clients (instance_id, created_at, id) WHERE kind = 'static';
CREATE INDEX IF NOT EXISTS clients_waiting ON clients (instance_id, created_at, id) WHERE is_pending = 1;
-- Clients that nobody has used or decided about. They are counted before another one registers, and swept in the end.
CREATE INDEX IF NOT EXISTS clients_unused_by_caller ON clients (instance_id, caller, created_at)
  WHERE last_authorized_at IS NULL AND disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static';
-- Self-registered clients that people allowed. They are swept long after the last of their grants.
CREATE INDEX IF NOT EXISTS clients_allowed ON clients (last_authorized_at)
  WHERE last_authorized_at IS NOT NULL AND disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static';
CREATE INDEX IF NOT EXISTS clients_never_used ON clients (created_at) WHERE last_authorized_at IS NULL;
CREATE INDEX IF NOT EXISTS clients_by_app ON clients (instance_id, app);

-- Who asked administrators to approve an app, and why. At most 20 apps a person; goes with the last install of the app.
CREATE TABLE IF NOT EXISTS app_requests (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  person_id TEXT NOT NULL REFERENCES people (id),
  app TEXT NOT NULL,
  -- The person's address when they asked.
  email TEXT NOT NULL,
  reason TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, person_id, app)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS app_requests_by_app ON app_requests (instance_id, app, asked_at);

-- What administrators approved of self-registered apps. It holds for every install, also later ones, and goes with the last one.
CREATE TABLE IF NOT EXISTS app_approvals (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  app TEXT NOT NULL,
  variant TEXT NOT NULL,
  -- JSON: the scopes that an install may register.
  scopes TEXT NOT NULL,
  approved_at INTEGER NOT NULL,
  -- When the app was disabled. Enabling it restores what was approved.
  disabled_at INTEGER,
  PRIMARY KEY (instance_id, app, variant, scopes)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS app_approvals_of_deleted_app AFTER DELETE ON clients
WHEN NOT EXISTS (SELECT 1 FROM clients WHERE instance_id = old.instance_id AND app = old.app)
BEGIN
  DELETE FROM app_approvals WHERE instance_id = old.instance_id AND app = old.app;
  DELETE FROM app_requests WHERE instance_id = old.instance_id AND app = old.app;
END;
CREATE TRIGGER IF NOT EXISTS app_approvals_of_renamed_app AFTER UPDATE OF app ON clients
WHEN NOT EXISTS (SELECT 1 FROM clients WHERE instance_id = old.instance_id AND app = old.app)
BEGIN
  DELETE FROM app_approvals WHERE instance_id = old.instance_id AND app = old.app;
  DELETE FROM app_requests WHERE instance_id = old.instance_id AND app = old.app;
END;

-- The ids of signed messages that are valid once (src/spent-ids/), until they expire. Each costs one written row; an index by
-- expiry would double that, only to save the hourly sweep a scan.
CREATE TABLE IF NOT EXISTS spent_ids (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  purpose TEXT NOT NULL,
  -- Hash of the sender and the id.
  id_hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The part with a limit that the id counts in, for senders that no administrator chose.
  share TEXT,
  PRIMARY KEY (instance_id, purpose, id_hash)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS spent_ids_by_share ON spent_ids (instance_id, share) WHERE share IS NOT NULL;

-- An authorization request in progress: pushed by its client, if it does that (the handle ends the reference, and no browser is
-- known yet); then at the SSO (the handle is the state sent there); then at the consent page.
CREATE TABLE IF NOT EXISTS authorization_requests (
  handle_hash TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  stage TEXT NOT NULL CHECK (stage IN ('pushed', 'sign-in', 'returned', 'consent')),
  browser_hash TEXT NOT NULL,
  client_id TEXT NOT NULL,
  request TEXT NOT NULL,
  person_id TEXT,
  -- Hash of the session at the SSO that the person signed in with; NULL if the SSO names none.
  sso_session TEXT,
  -- The network that it came from, if the platform reports it. The number of requests in progress per network is limited.
  caller TEXT,
  expires_at INTEGER NOT NULL,
  -- When its person signed in, as for a grant; NULL before.
  signed_in_at INTEGER
);
CREATE INDEX IF NOT EXISTS authorization_requests_by_client ON authorization_requests (client_id, instance_id);
CREATE INDEX IF NOT EXISTS authorization_requests_by_caller ON authorization_requests (caller, instance_id, expires_at)
  WHERE caller IS NOT NULL;
CREATE INDEX IF NOT EXISTS authorization_requests_by_person ON authorization_requests (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS authorization_requests_by_expiry ON authorization_requests (expires_at);
CREATE INDEX IF NOT EXISTS authorization_requests_by_sso_session ON authorization_requests (instance_id, sso_session)
  WHERE sso_session IS NOT NULL;

-- A sign-in to our own pages that is at the SSO, and below it the resulting sessions.
CREATE TABLE IF NOT EXISTS session_sign_ins (
  state_hash TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  browser_hash TEXT NOT NULL,
  return_to TEXT NOT NULL,
  -- Only for a step-up: who has to sign in again, and the encrypted form that waits for it.
  person_id TEXT,
  sealed_form TEXT,
  expires_at INTEGER NOT NULL,
  -- The SSO that the browser was sent to.
  sso_issuer TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS session_sign_ins_by_expiry ON session_sign_ins (expires_at);
CREATE INDEX IF NOT EXISTS session_sign_ins_by_person ON session_sign_ins (person_id) WHERE person_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS sessions (
  secret_hash TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  person_id TEXT NOT NULL REFERENCES people (id),
  created_at INTEGER NOT NULL,
  -- Accurate to within a few minutes, so that not every page view writes.
  last_used_at INTEGER NOT NULL DEFAULT 0,
  -- When the person authenticated at the SSO, if it said so and the authentication is of the kind that a step-up requires.
  authenticated_at INTEGER,
  -- Hash of the session at the SSO that it came from.
  sso_session TEXT,
  expires_at INTEGER NOT NULL,
  -- The browser and its system in words, for the person; empty if unknown.
  device TEXT NOT NULL DEFAULT '',
  -- When the person signed in, as for a grant.
  signed_in_at INTEGER NOT NULL DEFAULT 0
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
  -- The key that the code is bound to, and later the key of the last tokens (RFC 9449 §5, §10). What is bound stays bound.
  key_thumbprint TEXT,
  -- The nonce for the ID token.
  nonce TEXT,
  code_expires_at INTEGER NOT NULL,
  redeemed_at INTEGER,
  -- 1 after its client has authenticated once. From then on it always has to (docs/decisions/0011-client-keys.md).
  is_client_proven INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  rotated_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the grant's last access token expires. After that, isolates don't need to know about a revocation.
  tokens_until INTEGER NOT NULL DEFAULT 0,
  -- Hash of the session at the SSO in which the grant was given.
  sso_session TEXT,
  revoked_at INTEGER,
  revoked_reason TEXT,
  -- The issuer whose assertion the grant is based on; NULL if the person consented.
  asserted_by TEXT,
  -- When the person signed in at the SSO, which may be long before they allowed the app; if the SSO doesn't say, when they came back.
  -- A security event that comes late ends what stems from a sign-in before it.
  signed_in_at INTEGER NOT NULL DEFAULT 0,
  -- The grant whose token was exchanged for this one, which ends with it; or the application that had an issuer's token.
  exchanged_from TEXT
);
CREATE INDEX IF NOT EXISTS grants_exchanged ON grants (exchanged_from) WHERE exchanged_from IS NOT NULL;
CREATE INDEX IF NOT EXISTS grants_asserted ON grants (instance_id, asserted_by) WHERE asserted_by IS NOT NULL;
CREATE INDEX IF NOT EXISTS grants_by_instance ON grants (instance_id, created_at, id);
CREATE INDEX IF NOT EXISTS grants_by_person ON grants (person_id, created_at);
CREATE INDEX IF NOT EXISTS grants_by_client ON grants (client_id, instance_id);
CREATE INDEX IF NOT EXISTS grants_by_expiry ON grants (expires_at);
CREATE INDEX IF NOT EXISTS grants_by_sso_session ON grants (instance_id, sso_session) WHERE sso_session IS NOT NULL;

-- A key is published before it signs and after it has signed, so that nobody sees a signature by an unknown key.
CREATE TABLE IF NOT EXISTS signing_keys (
  kid TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  public_jwk TEXT NOT NULL,
  sealed_private_jwk TEXT NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('next', 'signing', 'retired')),
  created_at INTEGER NOT NULL,
  -- When the key entered its stage.
  staged_at INTEGER NOT NULL
);
-- An instance has at most one signing key and one next key, so two isolates that both find none cannot both create one.
CREATE UNIQUE INDEX IF NOT EXISTS signing_keys_one_a_stage ON signing_keys (instance_id, stage) WHERE stage <> 'retired';
-- The first reads an instance's keys for its policy; the second finds keys of all instances that have been in a stage for long,
-- for the cron trigger.
CREATE INDEX IF NOT EXISTS signing_keys_by_instance ON signing_keys (instance_id, staged_at);
CREATE INDEX IF NOT EXISTS signing_keys_by_stage ON signing_keys (stage, staged_at);

-- Identity providers whose access tokens the Client API accepts.
CREATE TABLE IF NOT EXISTS external_issuers (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  issuer TEXT NOT NULL,
  configuration TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  disabled_at INTEGER,
  -- Distinguishes a registration from an earlier one of the same issuer, even within the same second.
  registration TEXT NOT NULL DEFAULT (hex(randomblob(8))),
  PRIMARY KEY (instance_id, issuer)
) WITHOUT ROWID;

-- Which groups may use an app, and with which scopes, and what it may search. Without rules, an app is open to everybody; without
-- conditions, it may search everything that its person may see. A row has at least one of them.
CREATE TABLE IF NOT EXISTS app_rules (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  -- clients.app; an identity provider and its client id, as https://idp.example.com|client; self-registered, for all other
  -- clients that no administrator created; or personal-tokens, for the tokens that administrators create for one person.
  app TEXT NOT NULL,
  -- JSON: [{"group": …, "scopes": […]}].
  rules TEXT NOT NULL,
  -- JSON: [{"field": …, "values": […], "isExcluded": …}].
  content TEXT NOT NULL DEFAULT '[]',
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, app)
) WITHOUT ROWID;

-- Other apps than those that administrators create may come back, and their rules then apply again.
CREATE TRIGGER IF NOT EXISTS app_rules_of_deleted_client AFTER DELETE ON clients WHEN old.kind = 'static'
BEGIN
  DELETE FROM app_rules WHERE instance_id = old.instance_id AND app = old.id;
END;

-- What an instance's words are also called in search.
CREATE TABLE IF NOT EXISTS glossaries (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  -- JSON: [{"term": …, "meaning": …, "isTwoWay": …, "language": …}].
  entries TEXT NOT NULL,
  changed_at INTEGER NOT NULL
);

-- Words of searches that found nothing, as suggestions for the glossary. `people` has one of 32 bits for each person, chosen by a
-- keyed hash: it tells about how many there were, and not who.
CREATE TABLE IF NOT EXISTS unfound_words (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  word TEXT NOT NULL,
  people INTEGER NOT NULL,
  since_day INTEGER NOT NULL,
  PRIMARY KEY (instance_id, word)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS unfound_words_by_day ON unfound_words (since_day);

-- Systems that may sign people out: transmitters of security events, and identity providers other than the SSO.
CREATE TABLE IF NOT EXISTS signal_transmitters (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  issuer TEXT NOT NULL,
  configuration TEXT NOT NULL,
  -- Hash of the Authorization header that it sends, if it sends one.
  authorization_hash TEXT,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- When it last sent a verification event, which shows that it can send events.
  verified_at INTEGER,
  PRIMARY KEY (instance_id, issuer)
) WITHOUT ROWID;

-- Machines. Each is also a client and a row of people with the same id, whose email is not an address.
CREATE TABLE IF NOT EXISTS service_accounts (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  name TEXT NOT NULL,
  -- JSON: which tokens of its platform it is identified by; NULL if it has its own keys.
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
  -- The person or the token that issued it, or the name of a command. An admin token ends with its issuer.
  created_by TEXT NOT NULL,
  -- Networks that the token may be used from, as CIDR blocks; empty: any.
  networks TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  -- When it was revoked or its secret rotated. It only rises, so that isolates reload what they cached of an older one.
  changed_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  -- Accurate to the hour, so that not every request writes.
  last_used_at INTEGER,
  -- When its person signed in, if they issued it to themself or renewed its secret; otherwise when it was issued.
  signed_in_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS service_tokens_by_instance ON service_tokens (instance_id, created_at);
CREATE INDEX IF NOT EXISTS service_tokens_by_issuer ON service_tokens (instance_id, kind, created_by);
CREATE INDEX IF NOT EXISTS service_tokens_by_person ON service_tokens (person_id, instance_id) WHERE person_id IS NOT NULL;

-- Hashes of a token's secrets: the current one, and for ten minutes each one that it replaced.
CREATE TABLE IF NOT EXISTS service_token_secrets (
  secret_hash TEXT PRIMARY KEY,
  token_id TEXT NOT NULL REFERENCES service_tokens (id),
  -- The person responsible for the secret, or the name of a command. If a token received the secret, this is the holder of the
  -- secret that it presented.
  holder TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS service_token_secrets_by_token ON service_token_secrets (token_id);
CREATE INDEX IF NOT EXISTS service_token_secrets_by_holder ON service_token_secrets (holder);

-- The tokens through which an admin token's secret was created: the one that received it, and those of the secret that this one
-- presented. Later changes of their other secrets don't affect it.
CREATE TABLE IF NOT EXISTS service_token_origins (
  secret_hash TEXT NOT NULL REFERENCES service_token_secrets (secret_hash) ON DELETE CASCADE,
  origin TEXT NOT NULL,
  PRIMARY KEY (secret_hash, origin)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS service_token_origins_by_origin ON service_token_origins (origin);

-- The policy's changes in order: what the policy snapshot (src/instance/) contains and has changed. An isolate requests the
-- changes after the last id that it has seen. Triggers write them, so that no statement can forget to. Ids are never reused, and
-- a row is swept after every isolate has read it and every earlier access token has expired.
CREATE TABLE IF NOT EXISTS policy_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('instance', 'signing-key', 'external-issuer', 'app-rules', 'grant', 'client', 'person', 'service-token')),
  -- The id of what changed; empty if everything of the kind is reloaded.
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
-- So that a running Worker which the new tables are not for stops serving them.
CREATE TRIGGER IF NOT EXISTS policy_schema_upgraded AFTER INSERT ON schema_versions
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) SELECT id, 'instance', '', unixepoch() FROM instances;
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
CREATE TRIGGER IF NOT EXISTS policy_glossary_added AFTER INSERT ON glossaries
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'instance', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_glossary_changed AFTER UPDATE ON glossaries
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'instance', '', unixepoch());
END;
-- Only if the grant has an access token that has not expired anyway.
CREATE TRIGGER IF NOT EXISTS policy_grant_revoked AFTER UPDATE OF revoked_at ON grants
WHEN old.revoked_at IS NULL AND new.revoked_at IS NOT NULL AND new.tokens_until > new.revoked_at
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'grant', new.id, unixepoch());
END;
-- Only a client that somebody has allowed, or one that changed before it was allowed for the first time. Others have no tokens.
CREATE TRIGGER IF NOT EXISTS policy_client_changed AFTER UPDATE OF scopes, disabled_at, changed_at, last_authorized_at ON clients
WHEN new.last_authorized_at IS NOT NULL AND (
  new.scopes IS NOT old.scopes OR new.disabled_at IS NOT old.disabled_at OR new.changed_at IS NOT old.changed_at
  OR (old.last_authorized_at IS NULL AND new.changed_at > new.created_at)
)
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'client', new.id, unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_exchanger_added AFTER INSERT ON clients WHEN new.may_exchange = 1
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'instance', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_exchanger_changed AFTER UPDATE OF may_exchange ON clients
WHEN new.may_exchange IS NOT old.may_exchange
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'instance', '', unixepoch());
END;
CREATE TRIGGER IF NOT EXISTS policy_exchanger_removed AFTER DELETE ON clients WHEN old.may_exchange = 1
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (old.instance_id, 'instance', '', unixepoch());
END;
-- Also makes isolates reload what they cached of the person's service-issued tokens.
CREATE TRIGGER IF NOT EXISTS policy_person_deactivated AFTER UPDATE OF deactivated_at ON people
WHEN new.deactivated_at IS NOT old.deactivated_at
BEGIN
  INSERT INTO policy_changes (instance_id, kind, subject, at) VALUES (new.instance_id, 'person', new.id, unixepoch());
  UPDATE service_tokens SET changed_at = max(changed_at + 1, unixepoch())
  WHERE instance_id = new.instance_id AND person_id = new.id;
END;
-- Only if identity providers' tokens are accepted: everything else that isolates cache is ended by its own row.
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

-- Custom Metadata: groups and their keys. The values are with the documents. Ids are never reused, so values that outlive their
-- key or group until the clean-up don't belong to a later one.
CREATE TABLE IF NOT EXISTS metadata_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  -- Case-folded; display_name is as first written.
  name TEXT NOT NULL,
  display_name TEXT NOT NULL,
  -- Rises with every change, so that the documents have the newest.
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
  -- Group and key without a separator, case-folded: the name of the key in queries and facets. No two keys have the same.
  facet_name TEXT NOT NULL,
  property_type TEXT NOT NULL CHECK (property_type IN ('TEXT', 'PICKLIST', 'TEXTLIST', 'MULTIPICKLIST')),
  skip_indexing INTEGER NOT NULL DEFAULT 0,
  -- The key's position in the group's schema.
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

-- Apps' latest attempts to connect: what was refused on the way, and how far each got.
CREATE TABLE IF NOT EXISTS connection_steps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  step TEXT NOT NULL,
  -- Why the step was refused, and the message to the caller; NULL if it succeeded.
  reason TEXT,
  message TEXT,
  client_id TEXT,
  -- The grant that the attempt leads to. Its row is written at consent.
  grant_id TEXT,
  network TEXT,
  -- 1 if somebody who had signed in took the step. Anybody can cause the others.
  is_of_person INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS connection_steps_by_kind ON connection_steps (instance_id, is_of_person, id);
CREATE INDEX IF NOT EXISTS connection_steps_by_network ON connection_steps (instance_id, is_of_person, network, id)
  WHERE network IS NOT NULL;
CREATE INDEX IF NOT EXISTS connection_steps_by_time ON connection_steps (at);

-- Append only. An entry is written in the same transaction as the act that it records, with its instance's next sequence number.
-- The hashes that chain it to the previous entry follow a moment later.
CREATE TABLE IF NOT EXISTS audit (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  event TEXT NOT NULL,
  detail TEXT NOT NULL,
  -- The act's proof that it recorded the entry (src/audit/audit-chain.ts). Entries without one are never sealed.
  proof TEXT,
  previous_hash TEXT,
  hash TEXT,
  PRIMARY KEY (instance_id, sequence)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS audit_unsealed ON audit (instance_id, sequence) WHERE hash IS NULL;
-- Entries where a chain may begin, and those that decide how long entries are kept. They are few.
CREATE INDEX IF NOT EXISTS audit_cuts ON audit (instance_id, sequence) WHERE event = 'audit_trimmed';
CREATE INDEX IF NOT EXISTS audit_retentions ON audit (instance_id, sequence)
  WHERE event = 'audit_trimmed' OR (event = 'settings_changed' AND detail ->> '$.after.auditKeptSeconds' IS NOT NULL);
-- With the proof, which finds copies of an entry.
CREATE INDEX IF NOT EXISTS audit_by_time ON audit (instance_id, at, proof);
-- Finds what was noted about an upload. A pipeline may send its last page again and again.
CREATE INDEX IF NOT EXISTS audit_removals ON audit (instance_id, detail) WHERE event IN ('removal_held', 'removal_unchecked');
-- Counts the refusals of the last hour. Their number is limited, because anybody can cause them.
CREATE INDEX IF NOT EXISTS audit_refusals ON audit (instance_id, event, at) WHERE event IN ('access_refused', 'request_refused');

-- How far the audit was delivered to the receiver that an administrator set (setting auditReceiver).
CREATE TABLE IF NOT EXISTS audit_deliveries (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  delivered_through INTEGER NOT NULL,
  delivered_at INTEGER,
  -- Consecutive failures since the last success.
  failures INTEGER NOT NULL,
  last_error TEXT,
  -- Nothing is sent before this. While a run delivers, no other one may start before this.
  next_at INTEGER NOT NULL,
  -- The Authorization header for the receiver, and the URL that it was entered for. It is never sent to another one.
  sealed_authorization TEXT,
  authorization_for TEXT
);

-- What the administrators of an instance were told (setting alertReceiver).
CREATE TABLE IF NOT EXISTS alerts (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  -- Another receiver is told everything again.
  receiver TEXT NOT NULL,
  -- JSON: how much of each kind stood at the last check.
  levels TEXT NOT NULL,
  -- The entry of the audit from which its check continues.
  audit_after INTEGER NOT NULL,
  checked_at INTEGER NOT NULL
);

-- The picture on an instance's pages; its hash is also the setting `logo`.
CREATE TABLE IF NOT EXISTS logos (
  instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
  hash TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('image/png', 'image/jpeg', 'image/webp')),
  -- Base64.
  data TEXT NOT NULL
);

-- When the cron trigger last ran, and which of its tasks failed.
CREATE TABLE IF NOT EXISTS maintenance_runs (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ran_at INTEGER NOT NULL,
  failed TEXT NOT NULL
);
