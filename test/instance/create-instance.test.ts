import { servicesOf } from "#services.ts";
import { describe, expect, it } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { auditEntries } from "../support/audit-entries.ts";
import { env } from "../support/isolate.ts";

const create = (name: string) => createInstance(servicesOf(env), name, "command");

describe("an instance that a command creates", () => {
  it("is recorded in its audit by whoever created it", async () => {
    const instance = await create("recorded");
    expect(await auditEntries(instance, "instance_created")).toMatchObject([
      { actor: "command", detail: { name: "recorded" } },
    ]);
  });

  it("does not exist if its audit entry can't be written", async () => {
    await env.DB.exec("CREATE TRIGGER audit_refuses BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END");
    await expect(create("unrecorded")).rejects.toThrow();
    await env.DB.exec("DROP TRIGGER audit_refuses");
    expect(await servicesOf(env).instances.find("unrecorded")).toBe(null);
  });

  it("has a name of its own, which can be part of a host", async () => {
    await create("only");
    await expect(create("only")).rejects.toThrow("There is already an instance only");
    for (const name of ["", "Acme", "a.b", "-a", "a".repeat(64)])
      await expect(create(name)).rejects.toThrow("host name");
  });
});
