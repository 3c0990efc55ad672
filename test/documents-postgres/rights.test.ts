import { expect, it } from "vitest";
import type { Principal } from "#documents/engine.ts";
import type { Database, Rows } from "#documents-postgres/database.ts";
import { newMemory, PostgresDocuments } from "#documents-postgres/engine.ts";
import type { PagePart, UploadItem } from "#documents/uploads/uploads.ts";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { PostgresWorld } from "./world.ts";

const ada = { email: "ada@acme.example", directoryGroups: ["engineering"] };
const group = (name: string): Principal => ({ kind: "group", datasource: DATASOURCE, name });
const GROUPS = Array.from({ length: 2000 }, (_, at) => group(`g${at}`));

it("new lists of principals apply at the next call, and none is read if they are many or long", async () => {
  const { database, engine, instanceId } = await PostgresWorld.begin();
  const { counting, read } = counted(database);
  const watched = new PostgresDocuments(counting, newMemory(), () => 1000);
  const sees = (id: string) => watched.maySee(instanceId, DATASOURCE, id, ada);
  const putAll = (name: string, lists: readonly (readonly Principal[])[]) =>
    engine.apply(
      instanceId,
      lists.map((principals, at) => ({ act: "put", document: aDocument(`${name}${at}`, { principals }) }) as const),
    );
  await putAll("first", [GROUPS, [group("engineering")]]);
  expect([await sees("first0"), await sees("first1")]).toEqual([false, true]);
  const long = GROUPS.slice(0, 30).map((left) => GROUPS.filter((one) => one !== left));
  await putAll("long", [...long, [group("engineering"), ...GROUPS]]);
  expect([await sees("long0"), await sees("long30"), await sees("first1")]).toEqual([false, true, true]);
  await putAll(
    "many",
    GROUPS.slice(0, 520).map((one, at) => (at === 510 ? [one, group("engineering")] : [one])),
  );
  expect([await sees("many0"), await sees("many510"), await sees("long30")]).toEqual([false, true, true]);
  expect(read.bytes).toBeLessThan(10_000);
  await putAll("few", [
    [group("engineering"), group("g1")],
    [group("g2"), group("g1")],
  ]);
  expect([await sees("few0"), await sees("few1"), await sees("many510")]).toEqual([true, false, true]);
});

it("new principals of a document are written in a few statements, however many it names", async () => {
  const { database, instanceId } = await PostgresWorld.begin();
  const { written, sent } = writes(database);
  const both = (at: number): Principal => ({
    kind: "intersection",
    datasource: DATASOURCE,
    name: JSON.stringify(["engineering", `team${at}`]),
  });
  const principals = [...GROUPS.slice(0, 100), ...Array.from({ length: 100 }, (_, at) => both(at))];
  await written.apply(instanceId, [{ act: "put", document: aDocument("0", { principals }) }]);
  expect(sent()).toBeLessThan(40);
  const seers = [["engineering"], ["engineering", "team9"], ["team9"], ["g99"]];
  const sees = seers.map((directoryGroups) =>
    written.maySee(instanceId, DATASOURCE, "0", { email: `${directoryGroups.join()}@acme.example`, directoryGroups }),
  );
  expect(await Promise.all(sees)).toEqual([false, true, false, true]);
});

it.each(["users", "groups"] as const)("a step of an upload of %s fits into a call", async (kind) => {
  const { database, instanceId } = await PostgresWorld.begin();
  const { written, sent } = writes(database);
  const items = Array.from({ length: 260 }, (_, at): UploadItem => {
    const user = { userId: `u${at}`, email: `p${at}@acme.example`, name: "", isActive: true };
    return kind === "users" ? { kind, user } : { kind, name: `g${at}` };
  });
  const page = (uploadId: string, more: Partial<PagePart> = {}) =>
    uploadPage({ kind, uploadId, hash: uploadId, isFirst: true, isLast: true, ...more });
  await written.takePage(instanceId, page("first", { items }));
  await written.removeNext(instanceId, page("first"));
  await written.takePage(instanceId, page("second"));
  let gone = { status: "", removed: 0 };
  for (let before = sent(); gone.status !== "done"; before = sent()) {
    gone = await written.removeNext(instanceId, page("second"));
    expect(sent() - before).toBeLessThan(1100);
  }
  expect(gone.removed).toBe(260);
});

it("a step of an upload of documents removes only a few long ones, and the next steps remove the rest", async () => {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  const ids = Array.from({ length: 9 }, (_, at) => String(at));
  await engine.apply(
    instanceId,
    ids.map((id) => ({ act: "put", document: aDocument(id) }) as const),
  );
  // As long as for a document of 30,000 different words.
  await world.rows("UPDATE forwards SET forward = decode(repeat('00', 150000), 'hex') WHERE instance_id = $1");
  await engine.takePage(instanceId, uploadPage({ isFirst: true, isLast: true }));
  const removed: number[] = [];
  for (let status = ""; status !== "done"; ) {
    const step = await engine.removeNext(instanceId, uploadPage());
    ({ status } = step);
    removed.push(step.removed);
  }
  expect(removed).toEqual([2, 4, 6, 8, 9]);
  expect(await engine.count(instanceId, DATASOURCE)).toBe(0);
});

it("long lists of principals that no document has any more are removed in steps", async () => {
  const { database, engine, instanceId } = await PostgresWorld.begin();
  const ids = Array.from({ length: 8 }, (_, at) => String(at));
  await engine.apply(
    instanceId,
    ids.map((id, at) => ({ act: "put", document: aDocument(id, { principals: GROUPS.slice(at) }) }) as const),
  );
  await engine.apply(
    instanceId,
    ids.slice(1).map((externalId) => ({ act: "remove", datasource: DATASOURCE, externalId }) as const),
  );
  const named = async () =>
    (
      await database.read(instanceId, (rows) =>
        rows.all<{ n: number }>("SELECT count(*) AS n FROM class_principals WHERE instance_id = $1"),
      )
    )[0]?.n ?? 0;
  const steps: number[] = [];
  for (let before = await named(), isMore = true; isMore; ) {
    isMore = await engine.upkeep(instanceId);
    const left = await named();
    if (left < before) steps.push(before - left);
    before = left;
  }
  expect(steps.length).toBeGreaterThan(1);
  expect(Math.max(...steps)).toBeLessThan(12_000);
  expect(await named()).toBe(GROUPS.length);
});

/** Returns an engine, and a function that returns how many statements its writes have taken. */
function writes(database: Database) {
  let statements = 0;
  const counting: Database = {
    read: (id, act) => database.read(id, act),
    write: (id, act) =>
      database.write(id, (rows) => {
        const all: Rows["all"] = (...given) => (statements++, rows.all(...given));
        return act({ instanceId: rows.instanceId, all, byKey: all });
      }),
  };
  return { written: new PostgresDocuments(counting, newMemory(), () => 1000), sent: () => statements };
}

/** Wraps a database to count the bytes of lists of principals that are read. */
function counted(database: Database) {
  const read = { bytes: 0 };
  const counting: Database = {
    write: (id, act) => database.write(id, act),
    read: (id, act) =>
      database.read(id, (rows) => {
        const all: Rows["all"] = async (statement, ...values) => {
          const found = await rows.all(statement, ...values);
          if (statement.includes("'principals'")) read.bytes += JSON.stringify(found).length;
          return found;
        };
        return act({ instanceId: rows.instanceId, all, byKey: (...given) => rows.byKey(...given) });
      }),
  };
  return { counting, read };
}
