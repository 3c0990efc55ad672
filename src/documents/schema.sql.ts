/** Text without folding: words are folded before they come here, and every sign but white space belongs to one. */
const TOKENIZE = `tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* C* S* P*'"`;

/** The tables of one instance, a statement each. Times are epoch seconds. */
export const SCHEMA: readonly string[] = [
  // Counters that only go up: `permissions` moves when anybody's rights may have changed, `cells` with every write of a cell.
  `CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`,
  // What this object does with the documents while they move from or to another engine (moving/transfer.ts); no row: it serves.
  `CREATE TABLE IF NOT EXISTS transfer (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    holding TEXT NOT NULL CHECK (holding IN ('serving', 'giving', 'sealed', 'left', 'taking', 'ready')),
    turn INTEGER NOT NULL,
    move INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    next TEXT
  )`,

  // The body comes last: what stands before it is read without it. A row's id is never given again, so a later row is newer. Custom
  // metadata adds `metadata_words`, text that words find, and `metadata_terms`, the ids of its filter terms as a JSON array.
  `CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    datasource TEXT NOT NULL,
    external_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    indexed_at INTEGER NOT NULL,
    class INTEGER NOT NULL,
    object_type TEXT NOT NULL,
    title TEXT NOT NULL,
    url TEXT NOT NULL,
    author_name TEXT,
    author_email TEXT,
    created_at INTEGER,
    updated_at INTEGER,
    tags TEXT NOT NULL,
    summary TEXT,
    keywords TEXT NOT NULL,
    metadata_words TEXT NOT NULL DEFAULT '',
    metadata_terms TEXT NOT NULL DEFAULT '[]',
    body TEXT NOT NULL,
    UNIQUE (datasource, external_id)
  )`,
  `CREATE INDEX IF NOT EXISTS documents_by_url ON documents (url)`,
  `CREATE INDEX IF NOT EXISTS documents_by_class ON documents (class)`,
  `CREATE INDEX IF NOT EXISTS documents_by_generation ON documents (datasource, generation)`,

  // Words with their places, for phrases and for documents that hold all words.
  `CREATE VIRTUAL TABLE IF NOT EXISTS places USING fts5 (
    title, keywords, metadata, body, content = '', contentless_delete = 1, ${TOKENIZE})`,
  // Words with a sign of how much they weigh in the document, and filter terms: read from the heaviest down.
  `CREATE VIRTUAL TABLE IF NOT EXISTS levels USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, ${TOKENIZE})`,
  // Each of these with its documents, in alphabetical order.
  `CREATE VIRTUAL TABLE IF NOT EXISTS level_entries USING fts5vocab (levels, instance)`,
  // What a document's exact weight is computed from: its words' hashes, and how often each stands in it; of a long document also in
  // which of its stretches, 64 bits a word.
  `CREATE TABLE IF NOT EXISTS forward (id INTEGER PRIMARY KEY, words BLOB NOT NULL, stretches BLOB)`,
  // A cell a document, 1,024 to a block: class, kind, length, and the day of its last update.
  `CREATE TABLE IF NOT EXISTS cells (block INTEGER PRIMARY KEY, version INTEGER NOT NULL, cells BLOB NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS cells_by_version ON cells (version)`,
  // Sets of words that most documents hold: their hashes, how many documents there were, and up to which row they have marks; NULL,
  // all of them. The newest of these is searched by; what is older goes by alarm.
  `CREATE TABLE IF NOT EXISTS common_words (
    id INTEGER PRIMARY KEY AUTOINCREMENT, hashes BLOB NOT NULL, documents INTEGER NOT NULL, marked INTEGER)`,
  // How often documents hold the words of a set, about: two bits a word, 256 documents to a block.
  `CREATE TABLE IF NOT EXISTS marks (
    words INTEGER NOT NULL, block INTEGER NOT NULL, version INTEGER NOT NULL, marks BLOB NOT NULL, PRIMARY KEY (words, block))`,
  `CREATE INDEX IF NOT EXISTS marks_by_version ON marks (words, version)`,
  // Every word that was ever written, in the order of coming; the commonest come first.
  `CREATE TABLE IF NOT EXISTS vocabulary (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE)`,
  // Documents with more new words than one step learns.
  `CREATE TABLE IF NOT EXISTS unlearnt (id INTEGER PRIMARY KEY)`,
  // What forms of a word share, by language; and the languages that searches ask for, each with the last word whose forms it knows:
  // NULL, all of them.
  `CREATE TABLE IF NOT EXISTS stems (
    language TEXT NOT NULL, stem TEXT NOT NULL, word INTEGER NOT NULL, PRIMARY KEY (language, stem, word)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS languages (language TEXT PRIMARY KEY, learnt INTEGER) WITHOUT ROWID`,

  // Distinct pairs of datasource and object type, both folded.
  `CREATE TABLE IF NOT EXISTS kinds (
    id INTEGER PRIMARY KEY, datasource TEXT NOT NULL, object_type TEXT NOT NULL, UNIQUE (datasource, object_type))`,
  // Values that documents can be filtered by, folded: `from`, and of metadata keys `k<id>` for whole values, `w<id>` for words.
  // An id is never given again.
  `CREATE TABLE IF NOT EXISTS filter_terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT, field TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (field, value))`,

  // The people and groups that permissions name. An intersection's name is the JSON array of its groups' names. An id is never given again.
  `CREATE TABLE IF NOT EXISTS principals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('everyone', 'datasource', 'person', 'group', 'intersection')),
    datasource TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (kind, name, datasource)
  )`,
  `CREATE INDEX IF NOT EXISTS principals_by_datasource ON principals (kind, datasource)`,
  `CREATE TABLE IF NOT EXISTS intersection_groups (
    group_id INTEGER NOT NULL, intersection_id INTEGER NOT NULL, PRIMARY KEY (group_id, intersection_id)) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS intersection_groups_by_intersection ON intersection_groups (intersection_id)`,
  // A distinct list of principals: the JSON array of their ids, in order. Documents name it instead of them.
  `CREATE TABLE IF NOT EXISTS classes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint INTEGER NOT NULL, principals TEXT NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS classes_by_fingerprint ON classes (fingerprint)`,
  // The classes that name a principal: their ids, four bytes each, 1,024 ids to a block.
  `CREATE TABLE IF NOT EXISTS class_principals (
    principal INTEGER NOT NULL, block INTEGER NOT NULL, classes BLOB NOT NULL, PRIMARY KEY (principal, block)) WITHOUT ROWID`,

  // Users and groups as datasources describe them.
  `CREATE TABLE IF NOT EXISTS datasource_users (
    datasource TEXT NOT NULL, user_id TEXT NOT NULL, email TEXT NOT NULL, name TEXT NOT NULL,
    is_active INTEGER NOT NULL DEFAULT 1, generation INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (datasource, user_id)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS datasource_users_by_email ON datasource_users (email, datasource, is_active)`,
  // A deleted group has no members, and stays while documents or memberships name it: without its row it would be the directory's.
  // `is_deleted` is 2 while it is leaving: some of its memberships may still have to go. Then it is 1.
  `CREATE TABLE IF NOT EXISTS datasource_groups (
    datasource TEXT NOT NULL, name TEXT NOT NULL, is_deleted INTEGER NOT NULL DEFAULT 0, generation INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (datasource, name)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS datasource_groups_deleted ON datasource_groups (is_deleted) WHERE is_deleted = 1`,
  `CREATE INDEX IF NOT EXISTS datasource_groups_leaving ON datasource_groups (is_deleted) WHERE is_deleted = 2`,
  // Read from the member up, a datasource at a time: a person's groups are few, a group's members many.
  `CREATE TABLE IF NOT EXISTS memberships (
    datasource TEXT NOT NULL,
    member_kind TEXT NOT NULL CHECK (member_kind IN ('user', 'group')),
    member TEXT NOT NULL,
    group_name TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (member_kind, member, datasource, group_name)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS memberships_of_groups ON memberships (datasource) WHERE member_kind = 'group'`,
  `CREATE INDEX IF NOT EXISTS memberships_by_group ON memberships (datasource, group_name)`,

  // Deleted users, by id and by email, with memberships still to be removed: these memberships don't count.
  `CREATE TABLE IF NOT EXISTS leaving_users (
    datasource TEXT NOT NULL, member TEXT NOT NULL, PRIMARY KEY (datasource, member)) WITHOUT ROWID`,

  // How many a datasource has of each, so that nobody has to count.
  `CREATE TABLE IF NOT EXISTS datasources (
    name TEXT PRIMARY KEY,
    documents INTEGER NOT NULL DEFAULT 0,
    users INTEGER NOT NULL DEFAULT 0,
    groups INTEGER NOT NULL DEFAULT 0,
    memberships INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID`,

  // The latest upload of documents, users and groups of a datasource, and of the members of one group. After the last page, what
  // carries an older generation goes. `first_page` is the hash of the first page. `single_changes` counts those since the upload
  // began. `position` is up to where the removal has looked, for kinds that no index gives by generation. `errors` is JSON: the
  // latest refusals of the upload's pages.
  `CREATE TABLE IF NOT EXISTS bulk_uploads (
    datasource TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('documents', 'users', 'groups', 'memberships')),
    group_name TEXT NOT NULL,
    upload_id TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('receiving', 'removing', 'done', 'given up')),
    generation INTEGER NOT NULL UNIQUE,
    first_page TEXT NOT NULL,
    received INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0,
    single_changes INTEGER NOT NULL DEFAULT 0,
    position TEXT NOT NULL DEFAULT '',
    errors TEXT NOT NULL DEFAULT '[]',
    started_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    completed_at INTEGER,
    PRIMARY KEY (datasource, kind, group_name)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS bulk_uploads_under_way ON bulk_uploads (datasource, stage) WHERE stage IN ('receiving', 'removing')`,
  // The pages that an upload has taken whole, by hash.
  `CREATE TABLE IF NOT EXISTS upload_pages (generation INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (generation, hash)) WITHOUT ROWID`,
  // What was removed or permitted singly while an upload of its datasource is under way: no page undoes it.
  `CREATE TABLE IF NOT EXISTS single_changes (
    datasource TEXT NOT NULL, overruled TEXT NOT NULL, name TEXT NOT NULL, generation INTEGER NOT NULL,
    PRIMARY KEY (datasource, overruled, name)
  ) WITHOUT ROWID`,

  // The metadata schemas of D1, as of a version, and the values that documents have. Values older than `followed_from` have to
  // follow: a key went, or what free text finds changed.
  `CREATE TABLE IF NOT EXISTS metadata_groups (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    version INTEGER NOT NULL,
    followed_from INTEGER NOT NULL DEFAULT 0
  )`,
  // Searches and facets name a key by `facet_name`: group and key without a separator, folded. D1 keeps it unique; a key that moved
  // may be in two groups here for a moment.
  `CREATE TABLE IF NOT EXISTS metadata_keys (
    id INTEGER PRIMARY KEY,
    group_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    display_name TEXT NOT NULL,
    facet_name TEXT NOT NULL,
    property_type TEXT NOT NULL CHECK (property_type IN ('TEXT', 'PICKLIST', 'TEXTLIST', 'MULTIPICKLIST')),
    skip_indexing INTEGER NOT NULL DEFAULT 0,
    position INTEGER NOT NULL DEFAULT 0,
    UNIQUE (group_id, name)
  )`,
  `CREATE INDEX IF NOT EXISTS metadata_keys_by_facet ON metadata_keys (facet_name)`,
  // `entries` is JSON: key id → array of strings, as people read them. `version` is the group's, when the entries were last brought
  // in line with it.
  `CREATE TABLE IF NOT EXISTS document_metadata (
    document_id INTEGER NOT NULL,
    group_id INTEGER NOT NULL,
    entries TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (document_id, group_id)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS document_metadata_by_group ON document_metadata (group_id, version)`,
];
