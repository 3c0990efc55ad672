/** Indexes text without folding it: words are already folded, and every character except white space belongs to one. */
const TOKENIZE = `tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* C* S* P*'"`;

/** Columns that documents and removed ones share. */
const SHARED_COLUMNS = `indexed_at INTEGER NOT NULL,
    access_class INTEGER NOT NULL,
    object_type TEXT NOT NULL,
    title TEXT NOT NULL,
    url TEXT NOT NULL,
    author_name TEXT,
    author_email TEXT,
    created_at INTEGER,
    updated_at INTEGER,
    tags TEXT NOT NULL,
    summary TEXT,
    keywords TEXT NOT NULL`;

/** The tables of one instance, one statement each. Times are epoch seconds. */
export const SCHEMA: readonly string[] = [
  // Numbers by name, mostly counters. `memberships` goes up with every change of users, groups or memberships, `rights` when
  // permissions name somebody new, and `doc values` with every write of doc values.
  `CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`,
  // What this object does with the documents while they move from or to another engine (moving/transfer.ts). No row: it serves
  // them.
  `CREATE TABLE IF NOT EXISTS transfer (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    holding TEXT NOT NULL CHECK (holding IN ('serving', 'giving', 'sealed', 'left', 'taking', 'ready')),
    turn INTEGER NOT NULL,
    move INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    next TEXT
  )`,

  // The body comes last, so that the columns before it can be read without it. A later row has a higher id. Once most ids are
  // unused, the clean-up moves rows down in their order, because doc values, impact bitmaps and sets of documents are as long as the highest id.
  // Custom metadata adds `metadata_words`, text that words find, and `metadata_terms`, the ids of its filter terms as a JSON array.
  `CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY,
    datasource TEXT NOT NULL,
    external_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    ${SHARED_COLUMNS},
    metadata_words TEXT NOT NULL DEFAULT '',
    metadata_terms TEXT NOT NULL DEFAULT '[]',
    content_hash TEXT,
    anchors TEXT,
    body TEXT NOT NULL,
    UNIQUE (datasource, external_id)
  )`,
  `CREATE INDEX IF NOT EXISTS documents_by_url ON documents (url, datasource)`,
  `CREATE INDEX IF NOT EXISTS documents_by_access_class ON documents (access_class)`,
  `CREATE INDEX IF NOT EXISTS documents_by_generation ON documents (datasource, generation)`,

  // Words with their positions, for phrases and for documents with all words.
  `CREATE VIRTUAL TABLE IF NOT EXISTS postings USING fts5 (
    title, keywords, metadata, body, content = '', contentless_delete = 1, ${TOKENIZE})`,
  // Words with a sign for how much they weigh in the document, and filter terms. Read from the heaviest bucket down.
  `CREATE VIRTUAL TABLE IF NOT EXISTS impacts USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, ${TOKENIZE})`,
  // The data for a document's exact score: the hashes of its words, and how often each occurs. For a long document also in which
  // of its stretches, 64 bits per word. And what tells which documents are nearly the same (sketches.ts), and the language of its
  // words, if that is clear.
  `CREATE TABLE IF NOT EXISTS term_vectors (
    id INTEGER PRIMARY KEY, words BLOB NOT NULL, stretches BLOB, sketch BLOB, language TEXT)`,
  // The doc values of documents, 1,024 documents per block: class, kind, length, and the day of the last update.
  `CREATE TABLE IF NOT EXISTS doc_values (block INTEGER PRIMARY KEY, version INTEGER NOT NULL, numbers BLOB NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS doc_values_by_version ON doc_values (version)`,
  // Sets of the most common words: their hashes, how many documents there were, and up to which row documents are in their bitmaps; NULL:
  // all have. Searches use the newest of the complete sets. The alarm removes older ones.
  `CREATE TABLE IF NOT EXISTS common_words (
    id INTEGER PRIMARY KEY AUTOINCREMENT, hashes BLOB NOT NULL, documents INTEGER NOT NULL, mapped INTEGER)`,
  // Roughly how often documents contain the words of a set: two bits per word, 256 documents per block.
  `CREATE TABLE IF NOT EXISTS impact_bitmaps (
    words INTEGER NOT NULL, block INTEGER NOT NULL, version INTEGER NOT NULL, bitmaps BLOB NOT NULL, PRIMARY KEY (words, block))`,
  `CREATE INDEX IF NOT EXISTS impact_bitmaps_by_version ON impact_bitmaps (words, version)`,
  // The words of documents, in order of first use, so the most common ones come first. The clean-up removes unused ones.
  `CREATE TABLE IF NOT EXISTS vocabulary (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE)`,
  // Lists of words that a step had no time to learn, as JSON.
  `CREATE TABLE IF NOT EXISTS unlearnt (id INTEGER PRIMARY KEY, words TEXT NOT NULL)`,
  // The stems that forms of a word share, by language. And the languages that searches ask for, each with the last word whose
  // forms are known; NULL: those of all words are.
  `CREATE TABLE IF NOT EXISTS stems (
    language TEXT NOT NULL, stem TEXT NOT NULL, word INTEGER NOT NULL, PRIMARY KEY (language, stem, word)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS languages (language TEXT PRIMARY KEY, learnt INTEGER) WITHOUT ROWID`,

  // Distinct pairs of datasource and object type, both folded.
  `CREATE TABLE IF NOT EXISTS kinds (
    id INTEGER PRIMARY KEY, datasource TEXT NOT NULL, object_type TEXT NOT NULL, UNIQUE (datasource, object_type))`,
  // Values that documents can be filtered by, folded: `from` for authors and `name` for words of their names; for metadata keys
  // `k<id>` for whole values, `w<id>` for words, and `h<id>` for documents with any value; `more` for documents with values that
  // have none. Ids are never reused.
  `CREATE TABLE IF NOT EXISTS filter_terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT, field TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (field, value))`,

  // The people and groups that permissions name. An intersection's name is the JSON array of its groups' names. Ids are never
  // reused.
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
  // Distinct lists of principals: the JSON array of their ids, in order. Documents refer to a class instead of to principals. Until
  // `needed_until`, removed documents may also refer to it.
  `CREATE TABLE IF NOT EXISTS access_classes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint INTEGER NOT NULL, principals TEXT NOT NULL,
    needed_until INTEGER NOT NULL DEFAULT 0)`,
  `CREATE INDEX IF NOT EXISTS access_classes_by_fingerprint ON access_classes (fingerprint)`,
  // The classes that name a principal: their ids, four bytes each, 1,024 ids per block.
  `CREATE TABLE IF NOT EXISTS access_class_principals (
    principal INTEGER NOT NULL, block INTEGER NOT NULL, classes BLOB NOT NULL, PRIMARY KEY (principal, block)) WITHOUT ROWID`,

  // Users and groups as datasources describe them.
  `CREATE TABLE IF NOT EXISTS datasource_users (
    datasource TEXT NOT NULL, user_id TEXT NOT NULL, email TEXT NOT NULL, name TEXT NOT NULL,
    is_active INTEGER NOT NULL DEFAULT 1, generation INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (datasource, user_id)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS datasource_users_by_email ON datasource_users (email, datasource, is_active)`,
  // A deleted group has no members. Its row stays as long as documents or memberships name it: without the row, its name would
  // mean the directory's group. `is_deleted` is 2 while some of its memberships may still have to be removed, and then 1.
  `CREATE TABLE IF NOT EXISTS datasource_groups (
    datasource TEXT NOT NULL, name TEXT NOT NULL, is_deleted INTEGER NOT NULL DEFAULT 0, generation INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (datasource, name)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS datasource_groups_deleted ON datasource_groups (is_deleted) WHERE is_deleted = 1`,
  `CREATE INDEX IF NOT EXISTS datasource_groups_leaving ON datasource_groups (is_deleted) WHERE is_deleted = 2`,
  // Read from the member up, one datasource at a time: a person is in few groups, but a group has many members.
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

  // Deleted users, by id and by email, whose memberships still have to be removed. These memberships don't count.
  `CREATE TABLE IF NOT EXISTS leaving_users (
    datasource TEXT NOT NULL, member TEXT NOT NULL, PRIMARY KEY (datasource, member)) WITHOUT ROWID`,

  // How many of each kind a datasource has, so that rows don't have to be counted. `removed` is how many documents can be brought back.
  `CREATE TABLE IF NOT EXISTS datasources (
    name TEXT PRIMARY KEY,
    documents INTEGER NOT NULL DEFAULT 0,
    users INTEGER NOT NULL DEFAULT 0,
    groups INTEGER NOT NULL DEFAULT 0,
    memberships INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID`,

  // The latest upload of documents, users and groups of a datasource, and of the members of one group. After the last page,
  // everything with an older generation is removed. `first_page` is the hash of the first page. `single_changes` counts single
  // changes since the upload began. `position` is how far the removal has looked, for kinds that no index orders by generation.
  // `errors` is JSON: the latest refusals of the upload's pages. `stale` is how many of the `total` that there were after the last page
  // it would remove, which may be held until `held_until`. A later upload takes both over until its own last page.
  `CREATE TABLE IF NOT EXISTS bulk_uploads (
    datasource TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('documents', 'users', 'groups', 'memberships')),
    group_name TEXT NOT NULL,
    upload_id TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('receiving', 'held', 'removing', 'done', 'given up')),
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
    stale INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    held_until INTEGER,
    PRIMARY KEY (datasource, kind, group_name)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS bulk_uploads_under_way ON bulk_uploads (datasource, stage) WHERE stage IN ('receiving', 'removing')`,
  `CREATE INDEX IF NOT EXISTS bulk_uploads_held ON bulk_uploads (held_until) WHERE stage = 'held'`,
  // The pages that an upload has taken completely, by hash.
  `CREATE TABLE IF NOT EXISTS upload_pages (generation INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (generation, hash)) WITHOUT ROWID`,
  // What single changes removed or permitted while an upload of the datasource is in progress: no page undoes it.
  `CREATE TABLE IF NOT EXISTS single_changes (
    datasource TEXT NOT NULL, overruled TEXT NOT NULL, name TEXT NOT NULL, generation INTEGER NOT NULL,
    PRIMARY KEY (datasource, overruled, name)
  ) WITHOUT ROWID`,

  // Documents that uploads removed, for as long as they can be brought back. No search reads them. An id contains the time of the
  // removal (uploads/removed-documents.ts). `entries` is JSON: group id → entries, as in `document_metadata`.
  `CREATE TABLE IF NOT EXISTS removed_documents (
    id INTEGER PRIMARY KEY,
    datasource TEXT NOT NULL,
    external_id TEXT NOT NULL,
    ${SHARED_COLUMNS},
    content_hash TEXT,
    anchors TEXT,
    entries TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (datasource, external_id)
  )`,

  // D1's metadata schemas as of a version, and the values that documents have. Values with a version below `followed_from` still
  // have to be updated, because a key was removed or free text now finds different keys.
  `CREATE TABLE IF NOT EXISTS metadata_groups (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    version INTEGER NOT NULL,
    followed_from INTEGER NOT NULL DEFAULT 0
  )`,
  // Searches and facets name a key by `facet_name`: group and key without a separator, folded. D1 keeps it unique, but here, a
  // key that moved may briefly be in two groups.
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
  // `entries` is JSON: key id → array of strings, as people read them. `version` is the version of the group that the entries
  // were last brought in line with.
  `CREATE TABLE IF NOT EXISTS document_metadata (
    document_id INTEGER NOT NULL,
    group_id INTEGER NOT NULL,
    entries TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (document_id, group_id)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS document_metadata_by_group ON document_metadata (group_id, version)`,
];
