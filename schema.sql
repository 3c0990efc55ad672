-- Gatehouse: everything that must not be lost. Applying this file again changes nothing.
-- Times are seconds since 1970. Secrets are stored as hashes where they are only compared, sealed where they are used.

CREATE TABLE IF NOT EXISTS instances (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL,
  single_sign_on TEXT,
  created_at INTEGER NOT NULL
);

-- One row a person. The SSO's issuer and subject are the identity; they are empty until the first sign-in of someone whom
-- an administrator named by email. directory_groups is what the SSO said at the last sign-in.
CREATE TABLE IF NOT EXISTS people (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  sso_issuer TEXT,
  sso_subject TEXT,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  directory_groups TEXT NOT NULL DEFAULT '[]',
  is_administrator INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  last_sign_in_at INTEGER,
  deactivated_at INTEGER,
  UNIQUE (instance_id, email),
  UNIQUE (instance_id, sso_issuer, sso_subject)
);

-- Clients of three kinds: made by an administrator, registered by themselves, or described by a document at their id.
CREATE TABLE IF NOT EXISTS clients (
  id TEXT NOT NULL,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  kind TEXT NOT NULL CHECK (kind IN ('static', 'dynamic', 'document')),
  name TEXT NOT NULL,
  client_uri TEXT,
  redirect_uris TEXT NOT NULL,
  scopes TEXT NOT NULL,
  token_endpoint_auth_method TEXT NOT NULL,
  secret_hash TEXT,
  -- For managing a registration; only its bearer may (RFC 7592).
  registration_token_hash TEXT,
  -- What was registered, and from where: of repetitions that nobody has used, only the newest stay.
  fingerprint TEXT,
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
CREATE INDEX IF NOT EXISTS clients_by_fingerprint ON clients (instance_id, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS clients_changed ON clients (instance_id, changed_at);
CREATE INDEX IF NOT EXISTS clients_never_used ON clients (created_at) WHERE last_authorized_at IS NULL;

-- An authorization request on its way: at the SSO (handle = the state sent there), then before the consent page.
CREATE TABLE IF NOT EXISTS authorization_requests (
  handle_hash TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  stage TEXT NOT NULL CHECK (stage IN ('sign-in', 'returned', 'consent')),
  browser_hash TEXT NOT NULL,
  client_id TEXT NOT NULL,
  request TEXT NOT NULL,
  person_id TEXT,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS authorization_requests_by_expiry ON authorization_requests (expires_at);

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
  code_expires_at INTEGER NOT NULL,
  redeemed_at INTEGER,
  generation INTEGER NOT NULL DEFAULT 0,
  rotated_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  revoked_reason TEXT
);
CREATE INDEX IF NOT EXISTS grants_revoked ON grants (instance_id, revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS grants_by_person ON grants (person_id);
CREATE INDEX IF NOT EXISTS grants_by_client ON grants (client_id, instance_id);
CREATE INDEX IF NOT EXISTS grants_by_expiry ON grants (expires_at);

-- What a person allowed a client that an administrator made; nobody else's is remembered.
CREATE TABLE IF NOT EXISTS remembered_consents (
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  person_id TEXT NOT NULL REFERENCES people (id),
  client_id TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL,
  given_at INTEGER NOT NULL,
  PRIMARY KEY (person_id, client_id, redirect_uri)
);

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

CREATE TABLE IF NOT EXISTS service_tokens (
  id TEXT PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  kind TEXT NOT NULL CHECK (kind IN ('client-api', 'indexing')),
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  person_id TEXT REFERENCES people (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
);
CREATE INDEX IF NOT EXISTS service_tokens_by_instance ON service_tokens (instance_id, created_at);

-- Who may be named by a document's permissions. The id, as the word p<id>, is what the search index holds, so a principal
-- of one instance never matches a document of another.
CREATE TABLE IF NOT EXISTS principals (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  kind TEXT NOT NULL CHECK (kind IN ('everyone', 'datasource', 'person', 'group')),
  datasource TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL DEFAULT '',
  UNIQUE (instance_id, kind, name, datasource)
);

CREATE TABLE IF NOT EXISTS documents (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  datasource TEXT NOT NULL,
  external_id TEXT NOT NULL,
  object_type TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  summary TEXT,
  url TEXT NOT NULL,
  author_name TEXT,
  author_email TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  permissions TEXT NOT NULL,
  acl TEXT NOT NULL,
  created_at INTEGER,
  updated_at INTEGER,
  indexed_at INTEGER NOT NULL,
  UNIQUE (instance_id, datasource, external_id)
);

CREATE VIRTUAL TABLE IF NOT EXISTS documents_fts USING fts5 (
  title, body, acl,
  content = 'documents', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS documents_inserted AFTER INSERT ON documents BEGIN
  INSERT INTO documents_fts (rowid, title, body, acl) VALUES (new.id, new.title, new.body, new.acl);
END;
CREATE TRIGGER IF NOT EXISTS documents_deleted AFTER DELETE ON documents BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, body, acl) VALUES ('delete', old.id, old.title, old.body, old.acl);
END;
CREATE TRIGGER IF NOT EXISTS documents_updated AFTER UPDATE OF title, body, acl ON documents BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, body, acl) VALUES ('delete', old.id, old.title, old.body, old.acl);
  INSERT INTO documents_fts (rowid, title, body, acl) VALUES (new.id, new.title, new.body, new.acl);
END;

CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances (id),
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  event TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS audit_by_instance ON audit (instance_id, at);
