import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { configureAcme, makeAcme, SSO_CLIENT_ID } from "../../scripts/local/acme.ts";
import { callbackUris } from "../../scripts/local/local-origins.ts";
import { workerFetch } from "../../scripts/local/local-request.ts";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { startSso } from "../../scripts/local/sso-process.ts";
import { startWorker } from "../../scripts/local/worker-process.ts";
import { documents, indexDocuments } from "../support/node/documents.ts";
import { makeFolder } from "../support/node/private-folder.ts";

it("npm start makes an instance, configures it through the Worker of wrangler dev, and pushes documents", async () => {
  const folder = await makeFolder();
  const quietly = { folder, print: () => undefined };
  const port = await findFreePort();
  const clientSecret = randomBytes(32).toString("base64url");
  const redirectUris = callbackUris({ port, https: false });
  const sso = await startSso({ clientId: SSO_CLIENT_ID, clientSecret, redirectUris });
  await makeAcme(quietly);
  const worker = startWorker({ port, https: false, folder });
  try {
    await worker.ready();
    const token = await configureAcme(worker.baseUrl, { issuer: sso.issuer, clientSecret }, ["handbook"], quietly);
    await indexDocuments({ origin: worker.baseUrl, token, fetch: workerFetch(worker.baseUrl) });
    const counted = await fetch(`${worker.baseUrl}/rest/api/index/getdocumentcount`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ datasource: "handbook" }),
    });
    expect(await counted.json()).toEqual({ documentCount: documents.length });
  } finally {
    await Promise.all([worker.stop(), sso.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
