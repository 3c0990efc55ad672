import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { openLocalAdmin, runAdmin } from "../../../scripts/admin.ts";
import { prepareAcme, SSO_CLIENT_ID } from "../../../scripts/local/acme.ts";
import { indexDocuments } from "../../../scripts/local/index-documents.ts";
import { callbackUris } from "../../../scripts/local/local-origins.ts";
import { findFreePort } from "../../../scripts/local/loopback.ts";
import { startSso } from "../../../scripts/local/sso-process.ts";
import { startWorker } from "../../../scripts/local/worker-process.ts";
import { documents } from "./documents.ts";
import { startIssuers } from "./issuers-setup.ts";
import { makeFolder } from "./private-folder.ts";

/** The identity providers whose tokens the running Gatehouse takes, by the names that they have at the issuers' server. */
const REGISTERED_ISSUERS = ["in-a-burst", "left-waiting"];

/**
 * One Gatehouse for all tests in Node: what `npm start` starts, by the same pieces, on free ports, with a database and
 * secrets of its own, so that a developer's are never touched.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeFolder();
  const port = await findFreePort();
  const clientSecret = randomBytes(32).toString("base64url");
  const client = { clientId: SSO_CLIENT_ID, clientSecret };
  const sso = await startSso({ ...client, redirectUris: callbackUris({ port, https: false }) });
  const token = await prepareAcme({ issuer: sso.issuer, clientSecret }, { folder, print: () => undefined });
  const { issuers, stop: stopIssuers } = await startIssuers();
  await registerIssuers(folder, issuers.origin);
  const worker = startWorker({ port, https: false, folder });
  const stop = async () => {
    await Promise.all([worker.stop(), sso.stop(), stopIssuers()]);
  };
  try {
    await worker.ready();
    await indexDocuments({ baseUrl: worker.baseUrl, token }, documents, () => undefined);
  } catch (error) {
    // The folder stays: it holds the log that says why.
    await stop();
    throw error;
  }
  project.provide("gatehouse", { port, folder });
  project.provide("issuers", issuers);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function registerIssuers(folder: string, origin: string): Promise<void> {
  const admin = await openLocalAdmin(folder);
  try {
    for (const name of REGISTERED_ISSUERS) {
      const order = ["--issuer", `${origin}/${name}`, "--client-id", "portal", "--offline"];
      await runAdmin(["issuer", "add", "acme", ...order], { ...admin, print: () => undefined });
    }
  } finally {
    await admin.dispose();
  }
}
