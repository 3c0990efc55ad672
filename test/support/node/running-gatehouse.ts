import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { prepareAcme, SSO_CLIENT_ID } from "../../../scripts/local/acme.ts";
import { indexDocuments } from "../../../scripts/local/index-documents.ts";
import { callbackUris } from "../../../scripts/local/local-origins.ts";
import { findFreePort } from "../../../scripts/local/loopback.ts";
import { startSso } from "../../../scripts/local/sso-process.ts";
import { startWorker } from "../../../scripts/local/worker-process.ts";
import { documents } from "./documents.ts";
import { makeFolder } from "./private-folder.ts";

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
  const worker = startWorker({ port, https: false, folder });
  const stop = async () => {
    await Promise.all([worker.stop(), sso.stop()]);
  };
  try {
    await worker.ready();
    await indexDocuments({ baseUrl: worker.baseUrl, token }, documents, () => undefined);
  } catch (error) {
    // The folder stays: it holds the log that says why.
    await stop();
    throw error;
  }
  project.provide("gatehouse", { port });
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}
