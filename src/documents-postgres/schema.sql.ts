import { CHANGES_SCHEMA } from "./moving/changes.sql.ts";

/**
 * The number of partitions of a large table. They are by instance, so that one instance's work slows down few others, and Citus
 * distributes by the same column.
 */
const PARTITIONS = 8;

/** Names and ids compare byte by byte, regardless of the server's locale. */
const TEXT = `text COLLATE "C"`;

/** Returns SQL for a table that is partitioned by instance. */
function partitioned(name: string, columns: string, options = ""): string {
  const parts = Array.from(
    { length: PARTITIONS },
    (_, at) =>
      `CREATE TABLE ${name}_${at} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${at})${options};`,
  );
  return `CREATE TABLE ${name} (instance_id bigint NOT NULL, ${columns}) PARTITION BY HASH (instance_id);\n${parts.join("\n")}`;
}

/** Columns that count the documents at each impact level of a word. */
const LEVEL_COLUMNS = Array.from({ length: 12 }, (_, level) => `l${level} int NOT NULL DEFAULT 0`).join(", ");

/**
 * Steps from one version of the tables to the next. The instance is part of every key, so no lookup by key and no unique index
 * spans several instances. Times are epoch seconds.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `CREATE TABLE instances (
    instance_id bigint PRIMARY KEY,
    -- Whether this engine answers for the instance, and how far a move of it is.
    holding ${TEXT} NOT NULL DEFAULT 'left', turn bigint NOT NULL DEFAULT 0, move bigint NOT NULL DEFAULT 0,
    pages int NOT NULL DEFAULT 0, next text,
    last_document int NOT NULL DEFAULT 0,
    last_class int NOT NULL DEFAULT 0,
    last_name int NOT NULL DEFAULT 0,
    generation int NOT NULL DEFAULT 0,
    rights int NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 0,
    documents int NOT NULL DEFAULT 0,
    length bigint NOT NULL DEFAULT 0,
    -- What its words are hashed with; no export and no move takes it along.
    word_key uuid NOT NULL DEFAULT gen_random_uuid(),
    -- How far a backup was read in, and when, if more of it comes; else 0.
    import_backup ${TEXT}, import_lines int NOT NULL DEFAULT 0, importing_at bigint NOT NULL DEFAULT 0,
    -- When the next step of the clean-up is due, if anything is left, and when one failed; 0: the last one did not.
    upkeep_at bigint, upkeep_failed_at bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE INDEX instances_due ON instances (upkeep_at);

  ${partitioned(
    "documents",
    `id int NOT NULL,
    datasource ${TEXT} NOT NULL,
    external_id ${TEXT} NOT NULL,
    generation int NOT NULL,
    indexed_at bigint NOT NULL,
    object_type text NOT NULL,
    title text NOT NULL,
    url text NOT NULL,
    author_name text,
    author_email text,
    created_at bigint,
    updated_at bigint,
    tags text NOT NULL,
    summary text,
    keywords text NOT NULL,
    -- What its custom metadata adds: text that words find, and its filter terms, a JSON array of pairs.
    metadata_words text NOT NULL DEFAULT '',
    metadata_terms text NOT NULL DEFAULT '[]',
    body text NOT NULL,
    PRIMARY KEY (instance_id, id),
    UNIQUE (instance_id, datasource, external_id)`,
  )}
  CREATE INDEX documents_by_url ON documents USING hash (url);
  CREATE INDEX documents_by_generation ON documents (instance_id, datasource, generation);

  -- What a document is found by. Small rows, as a search reads thousands of them: the server keeps values out of a row only where it
  -- would be longer than 2,000 bytes, so a padding makes each as long, which takes 30 bytes compressed.
  ${partitioned(
    "entries",
    `id int NOT NULL,
    -- Of permissions; 0: nobody may see it.
    class int NOT NULL,
    kind int NOT NULL,
    length int NOT NULL,
    -- Of its last update; 0: none is known.
    day int NOT NULL,
    -- Numbers of its words, of its words at their levels, of pairs of words and of its filter terms, and behind these of the principals of
    -- its class: other numbers in every instance.
    tokens int[] NOT NULL,
    padding text NOT NULL DEFAULT repeat(' ', 2048),
    PRIMARY KEY (instance_id, id)`,
    " WITH (toast_tuple_target = 128)",
  )}
  -- Without statistics: the planner would read those of thousands of words for each statement, and statements don't leave it a choice.
  ALTER TABLE entries ALTER tokens SET STORAGE EXTERNAL, ALTER padding SET STORAGE MAIN, ALTER tokens SET STATISTICS 0;
  CREATE INDEX entries_by_token ON entries USING gin (tokens) WITH (fastupdate = off);
  CREATE INDEX entries_by_class ON entries (instance_id, class);
  CREATE INDEX entries_by_kind ON entries (instance_id, kind);

  -- What a document is weighed by, within its row unless it is long.
  ${partitioned(
    "forwards",
    `id int NOT NULL,
    -- By which levels were told when it was written.
    saturation float8 NOT NULL,
    -- Its words' hashes, and how often each stands in it; of a long document also in which of its stretches, 64 bits a word.
    forward bytea NOT NULL,
    stretches bytea,
    PRIMARY KEY (instance_id, id)`,
  )}
  ALTER TABLE forwards ALTER forward SET STORAGE EXTERNAL, ALTER stretches SET STORAGE EXTERNAL;

  -- Every word by its hash: how many documents hold it, and at which level. Of very long words only this is kept.
  ${partitioned(
    "words",
    `hash int NOT NULL, word ${TEXT}, documents int NOT NULL, ${LEVEL_COLUMNS},
    -- Of how many documents hold it the logarithm to base 2: it seldom changes, so that the index of it seldom does.
    commonness smallint NOT NULL GENERATED ALWAYS AS (ln(greatest(documents, 1)) / ln(2)) STORED,
    PRIMARY KEY (instance_id, hash)`,
    " WITH (fillfactor = 80)",
  )}
  CREATE INDEX words_in_order ON words (instance_id, word) WHERE word IS NOT NULL;
  CREATE INDEX words_by_commonness ON words (instance_id, commonness, word) WHERE word IS NOT NULL;
  -- What forms of a word share, in any of the languages.
  ${partitioned("stems", `stem ${TEXT} NOT NULL, hash int NOT NULL, PRIMARY KEY (instance_id, stem, hash)`)}

  -- Distinct pairs of datasource and object type, both folded.
  CREATE TABLE kinds (instance_id bigint NOT NULL, id int NOT NULL, datasource ${TEXT} NOT NULL, object_type ${TEXT} NOT NULL,
    PRIMARY KEY (instance_id, id), UNIQUE (instance_id, datasource, object_type));

  -- The people and groups that permissions name. An intersection's name is the JSON array of its groups' names.
  ${partitioned(
    "principals",
    `id int NOT NULL,
    kind ${TEXT} NOT NULL CHECK (kind IN ('everyone', 'datasource', 'person', 'group', 'intersection')),
    datasource ${TEXT} NOT NULL,
    name ${TEXT} NOT NULL,
    PRIMARY KEY (instance_id, id)`,
  )}
  CREATE UNIQUE INDEX principals_by_name ON principals (instance_id, kind, md5(name), datasource);
  CREATE TABLE intersection_groups (instance_id bigint NOT NULL, group_id int NOT NULL, intersection_id int NOT NULL,
    PRIMARY KEY (instance_id, group_id, intersection_id));
  CREATE INDEX intersection_groups_by_intersection ON intersection_groups (instance_id, intersection_id);
  -- A distinct list of principals, in order, how many documents have these permissions, and how many words those have.
  ${partitioned(
    "classes",
    `id int NOT NULL, fingerprint text NOT NULL, principals int[] NOT NULL, documents int NOT NULL DEFAULT 0, length bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (instance_id, id)`,
    " WITH (fillfactor = 80)",
  )}
  CREATE UNIQUE INDEX classes_by_fingerprint ON classes (instance_id, fingerprint);
  ${partitioned("class_principals", `principal int NOT NULL, class int NOT NULL, PRIMARY KEY (instance_id, principal, class)`)}

  -- Users and groups as datasources describe them.
  ${partitioned(
    "datasource_users",
    `datasource ${TEXT} NOT NULL, user_id ${TEXT} NOT NULL, email ${TEXT} NOT NULL, name text NOT NULL,
    is_active boolean NOT NULL, generation int NOT NULL,
    PRIMARY KEY (instance_id, datasource, user_id)`,
  )}
  CREATE INDEX datasource_users_by_email ON datasource_users (instance_id, email, datasource);
  -- A deleted group has no members, and stays while documents or memberships name it: without its row it would be the directory's.
  -- While it is leaving, some of its memberships may still have to go.
  CREATE TABLE datasource_groups (
    instance_id bigint NOT NULL, datasource ${TEXT} NOT NULL, name ${TEXT} NOT NULL,
    state ${TEXT} NOT NULL CHECK (state IN ('described', 'leaving', 'deleted')), generation int NOT NULL,
    PRIMARY KEY (instance_id, datasource, name));
  CREATE INDEX datasource_groups_going ON datasource_groups (instance_id, state) WHERE state <> 'described';
  ${partitioned(
    "memberships",
    `datasource ${TEXT} NOT NULL,
    member_kind ${TEXT} NOT NULL CHECK (member_kind IN ('user', 'group')),
    member ${TEXT} NOT NULL,
    group_name ${TEXT} NOT NULL,
    generation int NOT NULL,
    PRIMARY KEY (instance_id, member_kind, member, datasource, group_name)`,
  )}
  CREATE INDEX memberships_by_group ON memberships (instance_id, datasource, group_name, member_kind, member);
  -- Deleted users, by id and by email, with memberships still to be removed: these memberships don't count.
  CREATE TABLE leaving_users (instance_id bigint NOT NULL, datasource ${TEXT} NOT NULL, member ${TEXT} NOT NULL,
    PRIMARY KEY (instance_id, datasource, member));

  -- How many a datasource has of each, so that nobody has to count.
  CREATE TABLE datasources (
    instance_id bigint NOT NULL, name ${TEXT} NOT NULL, documents int NOT NULL DEFAULT 0, users int NOT NULL DEFAULT 0,
    groups int NOT NULL DEFAULT 0, memberships int NOT NULL DEFAULT 0, PRIMARY KEY (instance_id, name)
  ) WITH (fillfactor = 50);

  -- The latest upload of documents, users and groups of a datasource, and of the members of one group.
  CREATE TABLE bulk_uploads (
    instance_id bigint NOT NULL,
    datasource ${TEXT} NOT NULL,
    kind ${TEXT} NOT NULL CHECK (kind IN ('documents', 'users', 'groups', 'memberships')),
    group_name ${TEXT} NOT NULL,
    upload_id text NOT NULL,
    stage ${TEXT} NOT NULL CHECK (stage IN ('receiving', 'removing', 'done', 'given up')),
    generation int NOT NULL,
    -- The hash of its first page.
    first_page text NOT NULL,
    received int NOT NULL DEFAULT 0,
    removed int NOT NULL DEFAULT 0,
    -- Single changes since the upload began.
    single_changes int NOT NULL DEFAULT 0,
    -- JSON: the latest refusals of its pages.
    errors text NOT NULL DEFAULT '[]',
    started_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    completed_at bigint,
    PRIMARY KEY (instance_id, datasource, kind, group_name),
    UNIQUE (instance_id, generation)
  );
  -- The pages that an upload has taken whole, by hash.
  CREATE TABLE upload_pages (instance_id bigint NOT NULL, generation int NOT NULL, hash ${TEXT} NOT NULL,
    PRIMARY KEY (instance_id, generation, hash));
  -- What was removed or permitted singly while an upload of its datasource is under way: no page undoes it.
  CREATE TABLE single_changes (
    instance_id bigint NOT NULL, datasource ${TEXT} NOT NULL, overruled ${TEXT} NOT NULL, name ${TEXT} NOT NULL,
    generation int NOT NULL, PRIMARY KEY (instance_id, datasource, overruled, name));

  -- Schemas of custom metadata as of a version, those of which documents may not have values again, and the values.
  CREATE TABLE metadata_groups (
    instance_id bigint NOT NULL, id int NOT NULL, name ${TEXT} NOT NULL, display_name text NOT NULL, version int NOT NULL,
    -- Values that are older have to follow: a key went, or what free text finds changed.
    followed_from int NOT NULL DEFAULT 0,
    PRIMARY KEY (instance_id, id), UNIQUE (instance_id, name));
  CREATE TABLE metadata_keys (
    instance_id bigint NOT NULL, id int NOT NULL, group_id int NOT NULL, name ${TEXT} NOT NULL, display_name text NOT NULL,
    -- Group and key without a separator, folded: how searches and facets name the key.
    facet_name ${TEXT} NOT NULL,
    property_type ${TEXT} NOT NULL CHECK (property_type IN ('TEXT', 'PICKLIST', 'TEXTLIST', 'MULTIPICKLIST')),
    skip_indexing boolean NOT NULL, position int NOT NULL,
    PRIMARY KEY (instance_id, group_id, id));
  CREATE INDEX metadata_keys_by_facet ON metadata_keys (instance_id, facet_name);
  CREATE TABLE removed_metadata_groups (instance_id bigint NOT NULL, name ${TEXT} NOT NULL, up_to int NOT NULL,
    PRIMARY KEY (instance_id, name));
  ${partitioned(
    "document_metadata",
    `document_id int NOT NULL, group_id int NOT NULL,
    -- Key id → array of strings, as people read them.
    entries json NOT NULL,
    -- The group's, when this was last brought in line with it.
    version int NOT NULL,
    PRIMARY KEY (instance_id, document_id, group_id)`,
  )}
  CREATE INDEX document_metadata_by_group ON document_metadata (instance_id, group_id, version);`,
  CHANGES_SCHEMA,
  `-- What is written belongs to an epoch, which ends when postings are written.
  ALTER TABLE instances ADD COLUMN epoch int NOT NULL DEFAULT 1,
    -- When the epoch began, in seconds and by version.
    ADD COLUMN epoch_at bigint NOT NULL DEFAULT 0, ADD COLUMN epoch_version bigint NOT NULL DEFAULT -1,
    -- The version up to which every write has told its epoch. A Worker of before this step does not.
    ADD COLUMN told_version bigint NOT NULL DEFAULT -1;
  -- The last epoch whose documents are in the word's postings; 0: it has none.
  ALTER TABLE words ADD COLUMN posted int NOT NULL DEFAULT 0;
  CREATE INDEX words_posted ON words (instance_id, posted) WHERE posted > 0;
  -- Of common words: the documents that have them at a level, with the classes of permissions that they had. Eight bytes each, the ids
  -- descending within a part.
  ${partitioned(
    "postings",
    "hash int NOT NULL, level smallint NOT NULL, part int NOT NULL, size int NOT NULL, entries bytea NOT NULL, PRIMARY KEY (instance_id, hash, level, part)",
  )}
  ALTER TABLE postings ALTER entries SET STORAGE EXTERNAL;`,
  `-- The last epoch whose documents are in the word's holders; 0: it has none. And the same of a long word that is being written.
  ALTER TABLE words ADD COLUMN gathered int NOT NULL DEFAULT 0, ADD COLUMN gathering int NOT NULL DEFAULT 0;
  -- All documents that have a common word. A block is of 65,536 ids: a bit for each, or if 4,096 have the word or fewer, the two low
  -- bytes of their ids. Ids that were added since are in rows of block -1, four bytes each.
  ${partitioned(
    "holders",
    "hash int NOT NULL, block int NOT NULL, part int NOT NULL, size int NOT NULL, ids bytea NOT NULL, PRIMARY KEY (instance_id, hash, block, part)",
  )}
  ALTER TABLE holders ALTER ids SET STORAGE EXTERNAL;`,
  `-- The old index had the URLs of all instances, so an instance with many documents of one URL slowed down reads in others.
  CREATE INDEX documents_of_url ON documents (instance_id, md5(datasource || ' ' || url COLLATE "C"), id);
  DROP INDEX documents_by_url;`,
  `-- While a word's postings are written in several steps: the last epoch whose documents they have, and how many levels are written.
  ALTER TABLE words ADD COLUMN posting int NOT NULL DEFAULT 0, ADD COLUMN posting_level int NOT NULL DEFAULT 0;`,
  `-- Where the next step of the clean-up continues to look for names that no document has, and the instance's version at the first step.
  ALTER TABLE instances ADD COLUMN unheld_sort int NOT NULL DEFAULT 0, ADD COLUMN unheld_after bigint NOT NULL DEFAULT -2147483649,
    ADD COLUMN unheld_version bigint NOT NULL DEFAULT -1;`,
];
