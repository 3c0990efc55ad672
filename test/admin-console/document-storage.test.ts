import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { finishMove, movedWithoutSign } from "../support/admin-calls.ts";
import { ConsoleBrowser, openConsole, setRole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeInstance } from "../support/world.ts";

/** What documents move to. */
const SECOND = "shards:2";

const PAGE = "/admin/document-storage";
const ASKING = `${PAGE}/move?${new URLSearchParams({ engine: SECOND }).toString()}`;

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
  await (await Pipeline.of(instance)).index(draft("one"), draft("two"));
});

/** Returns what a page says, without markup. */
async function said(path: string): Promise<string> {
  const [main = ""] = /<main.*<\/main>/s.exec(await ada.read(path)) ?? [];
  return main.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

async function done(path: string, fields: Readonly<Record<string, string>> = {}) {
  const response = await ada.post(PAGE + path, fields);
  return response.headers.get("Location") ?? `${response.status}: ${await response.text()}`;
}

describe("the document storage page", () => {
  it("moves the documents after saying what happens, and shows that both sides counted the same", async () => {
    expect(await said(PAGE)).toContain("in one Durable Object");
    expect(await ada.read(PAGE)).toContain(`href="${ASKING}"`);
    expect(await said(ASKING)).toContain("2 documents are copied from one Durable Object to 2 Durable Objects");
    const [, engine = ""] = /name="engine" value="([^"]*)"/.exec(await ada.read(ASKING)) ?? [];
    expect(await done("/move", { engine })).toBe(`${PAGE}?done=started`);
    await finishMove(instance);
    const moved = await said(PAGE);
    expect(moved).toContain("The documents are in 2 Durable Objects");
    expect(moved).toContain("both sides counted 2 documents");
    expect(moved).toContain("Delete the old documents…");
    expect(moved).not.toContain("entries");
    expect(await ada.read(PAGE)).not.toContain("data-renewed");
  });

  it("deletes the old documents once, after asking", async () => {
    expect(await said(`${PAGE}/erase-old`)).toContain("You can’t undo this");
    expect(await done("/erase-old")).toBe(`${PAGE}?done=erasing`);
    await finishMove(instance);
    expect(await said(PAGE)).toContain("the old documents are deleted");
    expect(await done("/erase-old")).toBe(`${PAGE}?done=late`);
    expect((await ada.get(`${PAGE}/erase-old`)).headers.get("Location")).toBe(`${PAGE}?done=late`);
  });

  it("cancels a move before it switches over, and says where the documents stayed", async () => {
    await servicesOf(env).administrationOf(instance, "test").documents.move("object");
    const underWay = await said(PAGE);
    expect(underWay).toContain("0 entries of about 2 documents");
    expect(underWay).toContain("Changes behind not counted yet");
    expect(await ada.read(PAGE)).toContain("data-renewed");
    expect(underWay).not.toContain("Split or join the documents");
    expect(await done("/cancel")).toBe(`${PAGE}?done=cancelled`);
    await finishMove(instance);
    expect(await said(PAGE)).toContain("ended; the documents stayed where they were");
    expect(await done("/cancel")).toBe(`${PAGE}?done=late`);
  });

  it("says why a move is refused, and offers only twice and half as many objects", async () => {
    expect(await done("/move", { engine: SECOND })).toMatch(/^400: .*The documents are in shards:2 already/s);
    expect(await done("/move", { engine: "shards:3" })).toMatch(/^400: .*choose object, shards:2, shards:4/s);
    for (const engine of ["shards:3", "shards:8", SECOND, ""]) {
      expect((await ada.get(`${PAGE}/move?${new URLSearchParams({ engine }).toString()}`)).status).toBe(404);
    }
  });

  it("lets owners decide, and administrators only read", async () => {
    await setRole(instance, "deniz@acme.example", "administrator");
    const deniz = await ConsoleBrowser.signIn("deniz");
    const page = await deniz.read(PAGE);
    expect(page).toContain("2 Durable Objects");
    expect(page).not.toContain('class="button danger"');
    for (const act of ["move", "cancel", "erase-old"]) {
      const refused = await deniz.post(`${PAGE}/${act}`, { engine: "object" });
      expect([refused.status, (await refused.text()).includes("ask an owner")]).toEqual([403, true]);
    }
  });
});

describe("the trigger that runs every minute", () => {
  it("continues a move that no object's alarm continues, until it has switched over", async () => {
    const { administrationOf, documentMoves, eachMinute } = servicesOf(env);
    const { engine } = await documentMoves.standing(instance.id);
    await administrationOf(instance, "test").documents.move(engine === "object" ? SECOND : "object");
    expect((await documentMoves.standing(instance.id)).move).toMatchObject({ stage: "copying", copied: 0 });
    await eachMinute();
    expect((await documentMoves.standing(instance.id)).move).toMatchObject({ stage: "moved", counted: 2 });
    expect(await done("/erase-old")).toBe(`${PAGE}?done=erasing`);
    await finishMove(instance);
    await administrationOf(instance, "test").documents.move(engine);
    await finishMove(instance);
    expect(await done("/erase-old")).toBe(`${PAGE}?done=erasing`);
    await finishMove(instance);
  });
});

describe("an instance whose documents are in a jurisdiction", () => {
  it("keeps them there when they are split, and refuses to move them anywhere else", async () => {
    const { administrationOf, documentMoves } = servicesOf(env);
    const created = await createInstance(servicesOf(env), "atlas", "test", "eu");
    expect(await documentMoves.standing(created.id)).toMatchObject({
      engine: "object@eu",
      engines: expect.arrayContaining(["shards:2@eu"]),
    });
    for (const engine of ["object@weur", "shards:2@fedramp"]) {
      await expect(administrationOf(created, "test").documents.move(engine)).rejects.toThrow(
        "have to stay in the jurisdiction eu",
      );
    }
    expect(await administrationOf(created, "test").documents.move("shards:2")).toBe(true);
    expect((await documentMoves.standing(created.id)).move).toMatchObject({ from: "object@eu", to: "shards:2@eu" });
    await finishMove(created);
    expect((await documentMoves.standing(created.id)).engine).toBe("shards:2@eu");
  });
});

describe("a database that was restored to a time before a move", () => {
  const restore = () => servicesOf(env).administrationOf(instance, "test").documents.restorePlacement();

  it("learns from the engines where the documents are, once, and the old ones can be deleted", async () => {
    expect(await restore()).toBe(false);
    await movedWithoutSign(instance);
    expect(await said(PAGE)).toContain("in one Durable Object");
    expect(await restore()).toBe(true);
    expect(await restore()).toBe(false);
    expect(await said(PAGE)).toContain("The documents are in 2 Durable Objects");
    expect(await said("/admin/content")).toContain("wiki 2");
    expect(await done("/erase-old")).toBe(`${PAGE}?done=erasing`);
    await finishMove(instance);
  });

  it("keeps its placement during a move, and completes a move that it does not know", async () => {
    const { documents } = servicesOf(env).administrationOf(instance, "test");
    await documents.move("object");
    await servicesOf(env).documentMoves.goOn(instance.id, -1);
    expect(await restore()).toBe(false);
    await env.DB.prepare("DELETE FROM document_moves WHERE instance_id = ?1").bind(instance.id).run();
    await expect(documents.move("object")).rejects.toThrow("After a restore");
    expect(await restore()).toBe(true);
    await documents.move("object");
    await finishMove(instance);
    expect(await said(PAGE)).toContain("The documents are in one Durable Object");
    expect(await said(PAGE)).toContain("both sides counted 2 documents");
  });
});
