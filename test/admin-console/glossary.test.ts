import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

describe("the glossary's page", () => {
  let instance: Awaited<ReturnType<typeof makeInstance>>;
  let ada: Awaited<ReturnType<typeof openConsole>>;

  beforeAll(async () => {
    instance = await makeInstance();
    ada = await openConsole(instance);
  });

  const entries = async () => (await servicesOf(env).glossaries.read(instance.id)).entries;

  it("adds entries as CSV, changes those that exist, exports them and removes the selected ones", async () => {
    await ada.post("/admin/glossary/add", { entries: "PTO,paid time off\nk8s,the cluster" });
    const saved = await ada.post("/admin/glossary/add", { entries: "k8s,the cluster,one way" });
    expect([saved.status, saved.headers.get("Location")]).toEqual([303, "/admin/glossary?done=saved"]);
    expect(await ada.read("/admin/glossary/export")).toBe(
      "term,meaning,direction,language\r\nk8s,the cluster,one way,\r\nPTO,paid time off,both,\r\n",
    );
    expect(await ada.read("/admin/glossary")).toContain("paid time off");
    await ada.post("/admin/glossary/remove", { remove: "PTO = paid time off" });
    expect((await entries()).map(({ term }) => term)).toEqual(["k8s"]);
  });

  it("shows what was typed and which line is wrong", async () => {
    const refused = await ada.post("/admin/glossary/add", { entries: "db,database\nPTO" });
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain("Line 2: write a term, a comma and its meaning");
    expect(page).toContain("db,database");
    expect(await entries()).toHaveLength(1);
  });
});
