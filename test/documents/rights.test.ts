import type { Principal, Seer } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { principalsOf } from "#documents/find/principals.ts";
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
    let statements = 0;
    const counting = {
      exec: <Row>(...asked: Parameters<SqliteStore["exec"]>) => (statements++, store.exec<Row>(...asked)),
    };
    principalsOf(counting, ada, limits);
    expect(statements).toBeLessThan(20);
  });
});
