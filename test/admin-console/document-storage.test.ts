import { DocumentStoragePage } from "#admin-console/document-storage/views/document-storage-page.tsx";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { finishMove, movedWithoutSign } from "../support/admin-calls.ts";
import { ConsoleBrowser, openConsole, setRole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { SECOND } from "../support/second-engine.ts";
import { makeInstance } from "../support/world.ts";

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
  it("moves the documents after saying what happens, and shows that both engines counted the same", async () => {
    expect(await said(PAGE)).toContain("this instance’s own Durable Object");
    expect(await ada.read(PAGE)).toContain(`href="${ASKING}"`);
    expect(await said(ASKING)).toContain(
      "2 documents are copied from this instance’s own Durable Object to PostgreSQL",
    );
    expect(await done("/move", { engine: SECOND })).toBe(`${PAGE}?done=started`);
    await finishMove(instance);
    const moved = await said(PAGE);
    expect(moved).toContain(`The documents are in PostgreSQL ( ${SECOND} )`);
    expect(moved).toContain("both engines counted 2 documents");
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
    await servicesOf(env).administration.documents.move(instance, "object", "test");
    const underWay = await said(PAGE);
    expect(underWay).toContain("0 entries of about 2 documents");
    expect(underWay).toContain("Changes behind not counted yet");
    expect(await ada.read(PAGE)).toContain("data-renewed");
    expect(underWay).not.toContain("Move the documents");
    expect(await done("/cancel")).toBe(`${PAGE}?done=cancelled`);
    await finishMove(instance);
    expect(await said(PAGE)).toContain("ended; the documents stayed where they were");
    expect(await done("/cancel")).toBe(`${PAGE}?done=late`);
  });

  it("says why a move is refused, and finds no engine that is not bound", async () => {
    expect(await done("/move", { engine: SECOND })).toMatch(
      /^400: .*The documents are in postgres:DOCUMENTS_SECOND already/s,
    );
    for (const engine of ["postgres:DOCUMENTS_NONE", SECOND, ""]) {
      expect((await ada.get(`${PAGE}/move?${new URLSearchParams({ engine }).toString()}`)).status).toBe(404);
    }
  });

  it("lets owners decide, and administrators only read", async () => {
    await setRole(instance, "deniz@acme.example", "administrator");
    const deniz = await ConsoleBrowser.signIn("deniz");
    const page = await deniz.read(PAGE);
    expect(page).toContain("PostgreSQL");
    expect(page).not.toContain('class="button danger"');
    for (const act of ["move", "cancel", "erase-old"]) {
      const refused = await deniz.post(`${PAGE}/${act}`, { engine: "object" });
      expect([refused.status, (await refused.text()).includes("ask an owner")]).toEqual([403, true]);
    }
  });

  it("offers no move if the deployment has one engine, and says if the engine that is needed is missing", async () => {
    const frame = { service: "Gatehouse", organisation: "Acme", logo: undefined, limits: undefined, csrfToken: "" };
    const person = { name: "Ada", email: "ada@acme.example", role: "owner" };
    const page = async (engine: string, isBound: boolean) =>
      String(
        await DocumentStoragePage({
          frame: { ...frame, person, newFormId: () => "", refusalOf: () => undefined },
          done: undefined,
          engine,
          isBound,
          targets: [],
          move: null,
        }),
      );
    const alone = await page("object", true);
    expect(alone).toContain("up to 10 GB");
    expect(alone).not.toContain(`${PAGE}/`);
    expect(await page(SECOND, false)).toContain("This deployment has no binding for");
  });
});

describe("a database that was restored to a time before a move", () => {
  const restore = () => servicesOf(env).administration.documents.restorePlacement(instance, "test");

  it("learns from the engines where the documents are, once, and the old ones can be deleted", async () => {
    expect(await restore()).toBe(false);
    await movedWithoutSign(instance);
    expect(await said(PAGE)).toContain("this instance’s own Durable Object");
    expect(await restore()).toBe(true);
    expect(await restore()).toBe(false);
    expect(await said(PAGE)).toContain(`The documents are in PostgreSQL ( ${SECOND} )`);
    expect(await said("/admin/content")).toContain("wiki 2");
    expect(await done("/erase-old")).toBe(`${PAGE}?done=erasing`);
    await finishMove(instance);
  });

  it("keeps its placement during a move, and completes a move that it does not know", async () => {
    const { documents } = servicesOf(env).administration;
    await documents.move(instance, "object", "test");
    await servicesOf(env).documentMoves.goOn(instance.id, -1);
    expect(await restore()).toBe(false);
    await env.DB.prepare("DELETE FROM document_moves WHERE instance_id = ?1").bind(instance.id).run();
    await expect(documents.move(instance, "object", "test")).rejects.toThrow("After a restore");
    expect(await restore()).toBe(true);
    await documents.move(instance, "object", "test");
    await finishMove(instance);
    expect(await said(PAGE)).toContain("The documents are in this instance’s own Durable Object");
    expect(await said(PAGE)).toContain("both engines counted 2 documents");
  });
});
