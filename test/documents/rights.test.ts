import type { Principal, Seer } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { principalsOf } from "#documents/find/access/caller-principals.ts";
import { forgetRights, permitDocument, putDocument } from "#documents/write/documents.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument } from "./world.ts";

const ada: Seer = { email: "ada@acme.example", directoryGroups: ["engineering"] };
const group = (name: string, datasource = "wiki"): Principal => ({ kind: "group", datasource, name });
const all = (...names: string[]): Principal => ({
  kind: "intersection",
  datasource: "wiki",
  name: JSON.stringify(names),
});

describe("permissions of a document", () => {
  let store: SqliteStore;
  let finder: Finder;

  beforeEach(() => {
    store = new SqliteStore();
    finder = new Finder(store);
  });

  const put = (...principals: Principal[]) =>
    putDocument(store, aDocument("one", { datasource: "wiki", principals }), 1, 0);
  const sees = (seer = ada) => finder.maySee("wiki", "one", seer);
  const write = (statement: string, ...values: string[]) => {
    store.exec(statement, ...values);
    forgetRights(store);
  };
  const describeGroup = (name: string, datasource = "wiki") =>
    write("INSERT INTO datasource_groups (datasource, name) VALUES (?1, ?2)", datasource, name);
  const add = (kind: "user" | "group", member: string, name: string, datasource = "wiki") =>
    write(
      "INSERT INTO memberships (datasource, member_kind, member, group_name) VALUES (?1, ?2, ?3, ?4)",
      datasource,
      kind,
      member,
      name,
    );
  const addUser = (userId: string, email: string, isActive: "0" | "1" = "1") =>
    write(
      "INSERT INTO datasource_users (datasource, user_id, email, name, is_active) VALUES ('wiki', ?1, ?2, '', ?3)",
      userId,
      email,
      isActive,
    );

  it("with a new list of known principals apply at the next search to those whom they name", () => {
    const seesNamed = (id: string, seer = ada) => finder.maySee("wiki", id, seer);
    const putNamed = (id: string, ...principals: Principal[]) =>
      putDocument(store, aDocument(id, { datasource: "wiki", principals }), 1, 0);
    const zoe: Seer = { email: "zoe@acme.example", directoryGroups: ["support"] };
    putNamed("engineering", group("engineering"));
    putNamed("sales", group("sales"));
    expect([seesNamed("engineering"), seesNamed("sales"), seesNamed("engineering", zoe)]).toEqual([true, false, false]);
    putNamed("both", group("engineering"), group("sales"));
    expect([seesNamed("both"), seesNamed("both", zoe), seesNamed("sales")]).toEqual([true, false, false]);
    putNamed("support", group("sales"), group("support"));
    expect([seesNamed("support"), seesNamed("support", zoe), seesNamed("both")]).toEqual([false, true, true]);
  });

  it("let nobody see it if they are empty, and everyone if they name everyone", () => {
    const row = put();
    expect(sees()).toBe(false);
    permitDocument(store, row, [{ kind: "everyone", datasource: "", name: "" }], 0);
    expect(sees()).toBe(true);
    permitDocument(store, row, [{ kind: "person", datasource: "", name: "ben@acme.example" }], 0);
    expect(sees()).toBe(false);
    expect(finder.maySee("wiki", "other", ada)).toBeUndefined();
  });

  it("mean the directory's group until the pipeline describes one with that name", () => {
    put(group("engineering"));
    expect(sees()).toBe(true);
    expect(sees({ ...ada, directoryGroups: [] })).toBe(false);
    describeGroup("engineering");
    expect(sees()).toBe(false);
    add("user", ada.email, "engineering");
    expect(sees()).toBe(true);
  });

  it("identify a user by the datasource's id, and by email only if no user has it as id", () => {
    put(group("editors"));
    describeGroup("editors");
    add("user", ada.email, "editors");
    expect(sees()).toBe(true);
    addUser(ada.email, "somebody@acme.example");
    expect(sees()).toBe(false);
    addUser("u1", ada.email);
    add("user", "u1", "editors");
    expect(sees()).toBe(true);
  });

  it("don't apply to members of described groups once all of the datasource's users with their email are inactive", () => {
    put(group("editors"));
    describeGroup("editors");
    add("user", ada.email, "editors");
    addUser("u1", ada.email, "0");
    expect(sees()).toBe(false);
  });

  it("follow nested groups, even in circles", () => {
    put(group("top"));
    for (const name of ["top", "middle", "low"]) describeGroup(name);
    add("group", "low", "middle");
    add("group", "middle", "top");
    add("group", "top", "low");
    expect(sees()).toBe(false);
    add("user", ada.email, "low");
    expect(sees()).toBe(true);
  });

  it("for an intersection need all of its groups", () => {
    put(all("engineering", "finance"));
    expect(sees()).toBe(false);
    expect(sees({ ...ada, directoryGroups: ["engineering", "finance"] })).toBe(true);
  });

  it("for one datasource's groups still apply, however many groups another one has", () => {
    put(group("editors"));
    describeGroup("editors");
    add("user", ada.email, "editors");
    store.transaction(() => {
      // Named by permissions, because the other datasource would not be read otherwise; and first by name.
      putDocument(store, aDocument("planted", { datasource: "aaa", principals: [group("planted0", "aaa")] }), 1, 0);
      for (let at = 0; at < 10_000; at++) add("user", ada.email, `planted${at}`, "aaa");
    });
    expect(sees()).toBe(true);
  });

  it("follow a limited number of a datasource's groups, memberships and intersections", () => {
    const limits = { users: 1, groups: 3, memberships: 10, intersections: 4 };
    store.transaction(() => {
      for (let at = 0; at < 50; at++) {
        describeGroup(`g${at}`);
        add("user", ada.email, `g${at}`);
        for (let other = 0; other < at; other++) {
          add("group", `g${at}`, `g${other}`);
          putDocument(
            store,
            aDocument(`${at}-${other}`, {
              datasource: "wiki",
              principals: [group(`g${at}`), all(`g${at}`, `g${other}`)],
            }),
            1,
            0,
          );
        }
      }
    });
    expect(principalsOf(store, ada, limits).length).toBeLessThanOrEqual(3 + 4);
    const manyGroups = { ...limits, groups: 50, memberships: 5000 };
    expect(principalsOf(store, ada, manyGroups).length).toBeLessThanOrEqual(50 + 4);
    let statements = 0;
    const counting = {
      exec: <Row>(...asked: Parameters<SqliteStore["exec"]>) => (statements++, store.exec<Row>(...asked)),
    };
    principalsOf(counting, ada, limits);
    expect(statements).toBeLessThan(20);
  });

  it("follow memberships of several reads, each once, and none of a deleted group", () => {
    const name = (at: number) => `g${String(at).padStart(4, "0")}`;
    store.transaction(() => {
      describeGroup("of all");
      for (let at = 0; at < 4500; at++) {
        describeGroup(name(at));
        add("user", at % 2 === 0 ? ada.email : "her id", name(at));
        add("group", name(at), "of all");
      }
      addUser("her id", ada.email);
    });
    const seesNamed = (group_: string) => {
      put(group(group_));
      return sees();
    };
    expect([0, 1, 4498, 4499].map((at) => seesNamed(name(at)))).toEqual([true, true, true, true]);
    write("DELETE FROM datasource_users");
    expect([0, 1, 4498, 4499].map((at) => seesNamed(name(at)))).toEqual([true, false, true, false]);
    expect(seesNamed("of all")).toBe(true);
    for (const stage of ["1", "2"]) {
      write("UPDATE datasource_groups SET is_deleted = ?1 WHERE name = ?2", stage, name(4498));
      expect([4496, 4498].map((at) => seesNamed(name(at)))).toEqual([true, false]);
    }
  });

  it("with new lists of principals apply at the next search, which reads none of the lists if they are many or long", () => {
    const names = Array.from({ length: 3000 }, (_, at) => group(`g${at}`));
    store.transaction(() => {
      putDocument(store, aDocument("all", { datasource: "wiki", principals: names }), 1, 0);
      putDocument(store, aDocument("hers", { datasource: "wiki", principals: [group("engineering")] }), 1, 0);
    });
    const { counting, read } = counted(store);
    const watched = new Finder(counting);
    const seesNow = (id: string) => watched.maySee("wiki", id, ada);
    const putAll = (name: string, lists: readonly (readonly Principal[])[]) =>
      store.transaction(() => {
        for (const [at, principals] of lists.entries())
          putDocument(store, aDocument(`${name}${at}`, { datasource: "wiki", principals }), 1, 0);
      });
    expect([seesNow("hers"), seesNow("all")]).toEqual([true, false]);
    const long = names.slice(0, 16).map((left) => names.filter((one) => one !== left));
    putAll("long", [...long, [group("engineering"), ...names]]);
    expect([seesNow("long0"), seesNow("long16"), seesNow("hers")]).toEqual([false, true, true]);
    const many = names.slice(0, 600).map((one, at) => (at === 550 ? [one, group("engineering")] : [one]));
    putAll("many", many);
    expect([seesNow("many0"), seesNow("many550"), seesNow("long16")]).toEqual([false, true, true]);
    expect(read.bytes).toBeLessThan(100_000);
    putAll("few", [
      [group("engineering"), group("g1")],
      [group("g2"), group("g1")],
    ]);
    expect([seesNow("few0"), seesNow("few1"), seesNow("many550")]).toEqual([true, false, true]);
  });

  it("are remembered for fewer people if there are more lists of principals", () => {
    put(group("sales"));
    store.exec("UPDATE sqlite_sequence SET seq = 2000000 WHERE name = 'access_classes'");
    put(group("engineering"));
    const { counting, read } = counted(store);
    const watched = new Finder(counting);
    const readsOf = (at: number) => {
      const before = read.people;
      watched.maySee("wiki", "one", { ...ada, email: `p${at}@acme.example` });
      return read.people - before;
    };
    for (let at = 0; at < 20; at++) expect(readsOf(at)).toBe(1);
    expect([readsOf(19), readsOf(17), readsOf(0)]).toEqual([0, 0, 1]);
  });
});

/** Wraps a store to count how often a person's principals are read from it, and the bytes of lists. */
function counted(store: SqliteStore) {
  const read = { people: 0, bytes: 0 };
  const counting = {
    exec: <Row>(statement: string, ...values: readonly unknown[]) => {
      const rows = store.exec<Row>(statement, ...values);
      if (statement.includes("kind = 'everyone'")) read.people++;
      if (/principals FROM access_classes/.test(statement)) read.bytes += JSON.stringify(rows).length;
      return rows;
    },
  };
  return { counting, read };
}
