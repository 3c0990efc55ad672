import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Chance } from "../../test/support/chance.ts";

/** Words by how often people write them (Zipf: the word of rank r has 1/r of the first one's occurrences). */
const VOCABULARY = 60_000;

const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ");

/** Two words that are each in a fifth of all documents, and never in the same one. */
export const NEVER_TOGETHER = ["eveningstar", "morningstar"] as const;

/** Group 0 reads nearly everything; groups 1 to 20 read a thousandth each; the rest is Zipf. */
const GROUPS = 420;
export const PEOPLE = ["almost-all", "few", "one"] as const;
export type Person = (typeof PEOPLE)[number];

const DATASOURCES = ["wiki", "drive", "tickets", "mail", "crm"];
const TYPES = ["Page", "File", "Ticket", "Message", "Account"];
const STATUSES = ["approved", "draft", "in review", "retired"];
const AUTHORS = 200;

/** The word of a rank, from 1, pronounceable. */
export function wordOfRank(rank: number): string {
  let word = "";
  for (let rest = rank + 19; rest > 0; rest = Math.floor(rest / 20)) word = (SYLLABLES[rest % 20] ?? "") + word;
  return word;
}

/** Draws ranks by their frequency, from a table that holds each rank as often as it is drawn in {@link TABLE} draws. */
class Zipf {
  readonly #cumulative: Float64Array;
  readonly #total: number;
  readonly #start: Uint32Array;

  constructor(size: number) {
    this.#cumulative = new Float64Array(size);
    let total = 0;
    for (let rank = 1; rank <= size; rank += 1) this.#cumulative[rank - 1] = total += 1 / rank;
    this.#total = total;
    // Where the search for each sixty-fourth-thousandth begins: most draws need one or two steps.
    this.#start = new Uint32Array(65_536);
    let at = 0;
    for (let slot = 0; slot < 65_536; slot += 1) {
      while ((this.#cumulative[at] ?? total) <= (slot / 65_536) * total) at += 1;
      this.#start[slot] = at;
    }
  }

  draw(chance: Chance): number {
    const drawn = chance.next();
    let at = this.#start[Math.floor(drawn * 65_536)] ?? 0;
    while ((this.#cumulative[at] ?? this.#total) <= drawn * this.#total) at += 1;
    return at + 1;
  }
}

/** Fills an empty database file with the schema and so many documents, and builds the index. */
export function buildCorpus(file: string, documents: number): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;");
    database.exec(readFileSync("schema.sql", "utf8"));
    database.exec("DROP TRIGGER documents_inserted; BEGIN");
    // For the naive form alone; the search itself knows no such table.
    database.exec(
      "CREATE TABLE bench_permissions (document_id INTEGER, principal_id INTEGER, PRIMARY KEY (document_id, principal_id)) WITHOUT ROWID",
    );
    const terms = addDirectory(database);
    addDocuments(database, documents, terms);
    database.exec("COMMIT; BEGIN");
    database.exec("INSERT INTO documents_fts (documents_fts) VALUES ('rebuild'); COMMIT");
    database.exec(readFileSync("schema.sql", "utf8"));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

/** The instance (1), its people, groups, principals (group g is principal g + 1) and custom metadata. */
function addDirectory(database: DatabaseSync): Map<string, number> {
  database.exec("INSERT INTO instances (id, name, settings, created_at) VALUES (1, 'bench', '{}', 0)");
  const groupsOf: Record<Person, number[]> = {
    "almost-all": [0, ...Array.from({ length: 19 }, (_, at) => 30 + at * 7)],
    few: Array.from({ length: 20 }, (_, at) => 1 + at),
    one: Array.from({ length: 20 }, (_, at) => 1000 + at),
  };
  const person = database.prepare(
    "INSERT INTO people (id, instance_id, email, name, directory_groups, created_at) VALUES (?1, 1, ?2, ?1, ?3, 0)",
  );
  for (const id of PEOPLE) {
    person.run(id, `${id}@bench.example`, JSON.stringify(groupsOf[id].map((group) => `group-${group}`)));
  }
  const principal = database.prepare(
    "INSERT INTO principals (id, instance_id, kind, datasource, name) VALUES (?1, 1, ?2, '', ?3)",
  );
  for (let group = 0; group < GROUPS; group += 1) principal.run(group + 1, "group", `group-${group}`);
  principal.run(GROUPS + 1, "person", "one@bench.example");
  principal.run(GROUPS + 2, "everyone", "");

  database.exec(`INSERT INTO metadata_groups (id, instance_id, name, display_name, created_at) VALUES (1, 1, 'review', 'review', 0);
    INSERT INTO metadata_keys (id, instance_id, group_id, name, display_name, facet_name, property_type)
    VALUES (1, 1, 1, 'status', 'status', 'reviewstatus', 'PICKLIST')`);
  const terms = new Map<string, number>();
  const term = database.prepare("INSERT INTO filter_terms (id, instance_id, field, value) VALUES (?1, 1, ?2, ?3)");
  const add = (field: string, value: string) => {
    terms.set(`${field} ${value}`, terms.size + 1);
    term.run(terms.size, field, value);
  };
  for (const datasource of DATASOURCES) add("datasource", datasource);
  for (const type of TYPES) add("type", type.toLowerCase());
  for (const status of STATUSES) add("k1", status);
  for (let author = 0; author < AUTHORS; author += 1) add("from", `author ${author}`);
  return terms;
}

function addDocuments(database: DatabaseSync, documents: number, terms: ReadonlyMap<string, number>): void {
  const chance = new Chance(7);
  const zipf = new Zipf(VOCABULARY);
  const groups = new Zipf(GROUPS - 21);
  const words = Array.from({ length: VOCABULARY + 1 }, (_, rank) => wordOfRank(rank));
  const text = (length: number, skip: number) =>
    Array.from({ length }, () => words[Math.min(zipf.draw(chance) + skip, VOCABULARY)]).join(" ");
  const insert = database.prepare(
    `INSERT INTO documents (id, instance_id, datasource, external_id, object_type, title, body, url, author_name, author_email,
       permissions, keywords, acl, filters, metadata, metadata_filters, created_at, updated_at, indexed_at)
     VALUES (?1, 1, ?2, ?1, ?3, ?4, ?5, 'https://bench.example/' || ?1, ?6, ?7, '{}', ?8, ?9, ?10, ?11, ?12, 0, ?13, 0)`,
  );
  const metadata = database.prepare(
    "INSERT INTO document_metadata (document_id, group_id, entries, words, filters) VALUES (?1, 1, ?2, ?3, ?4)",
  );
  const permission = database.prepare("INSERT INTO bench_permissions (document_id, principal_id) VALUES (?1, ?2)");
  const oneVisible = Math.floor(documents / 2);
  for (let id = 1; id <= documents; id += 1) {
    const at = Math.min(chance.between(0, 7), 4);
    const author = chance.between(0, AUTHORS - 1);
    const status = chance.happens(0.6) ? chance.pick(STATUSES) : undefined;
    const statusTerm = status === undefined ? "" : `f${terms.get(`k1 ${status}`)}`;
    const together = NEVER_TOGETHER[id % 5];
    const held = principalsOf(chance, groups);
    if (id === oneVisible) held.add(GROUPS + 1);
    const acl = Array.from(held, (principal) => `p${principal}`).join(" ");
    for (const principal of held) permission.run(id, principal);
    const filters = [`datasource ${DATASOURCES[at]}`, `type ${TYPES[at]?.toLowerCase()}`, `from author ${author}`];
    insert.run(
      id,
      DATASOURCES[at] ?? "",
      TYPES[at] ?? "",
      // Titles hold fewer of the words that only join others.
      text(chance.between(3, 8), 8),
      text(chance.between(50, 190), 0) + (together === undefined ? "" : ` ${together}`),
      `Author ${author}`,
      `author-${author}@bench.example`,
      text(chance.between(0, 4), 40),
      acl,
      filters.map((filter) => `f${terms.get(filter)}`).join(" "),
      status ?? "",
      statusTerm,
      1_600_000_000 + chance.between(0, 100_000_000),
    );
    if (status !== undefined) metadata.run(id, JSON.stringify({ 1: [status] }), status, statusTerm);
  }
}

function principalsOf(chance: Chance, groups: Zipf): Set<number> {
  const held = new Set<number>();
  if (chance.happens(0.85)) held.add(1);
  if (chance.happens(0.02)) held.add(2 + chance.between(0, 19));
  for (let more = chance.between(0, 2); more > 0; more -= 1) held.add(21 + groups.draw(chance));
  return held;
}
