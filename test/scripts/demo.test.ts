import { describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { ORIGIN } from "../support/node/gatehouse.ts";
import { runScript } from "../support/node/run-script.ts";

describe("npm run demo", () => {
  it("connects as an MCP host, searches, and ends with the different results of two people", async () => {
    const { exitCode, output, complaints } = await runScript("scripts/demo.ts", [ORIGIN]);
    expect(complaints).toBe("");
    expect(exitCode).toBe(0);
    expect(output).toMatch(/401\n.*WWW-Authenticate: Bearer resource_metadata="\S+\/mcp"/);
    expect(output).toMatch(/connected, version 2026-07-28: search, fetch, search_documents, chat, whoami/);
    expect(output).toMatch(/\/rest\/api\/v1\/search.*\n.*\n?.*<https?:/);
    const ending = output.slice(output.lastIndexOf("Two people search"));
    expect(ending).toMatch(/Ben Okafor: 2 documents.*Runbook of engineering/s);
    expect(ending).toMatch(/Carla Reyes: 2 documents.*Budget of finance/s);
    expect(ending).not.toContain("Draft that nobody may see");
  });

  it("exits 1 with one sentence if nothing responds", async () => {
    const { exitCode, complaints } = await runScript("scripts/demo.ts", [`http://localhost:${await findFreePort()}`]);
    expect(exitCode).toBe(1);
    expect(complaints.trim()).toMatch(/^Nothing responds at \S+\. .*npm start$/);
  });
});
