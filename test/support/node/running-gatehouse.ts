import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { openLocalAdmin, runAdmin } from "../../../scripts/admin.ts";
import { datasourceOf } from "../../../clients/push/options.ts";
import { addressOf, configureAcme, makeAcme, SSO_CLIENT_ID } from "../../../scripts/local/acme.ts";
import { callbackUris } from "../../../scripts/local/local-origins.ts";
import { workerFetch } from "../../../scripts/local/local-request.ts";
import { findFreePort } from "../../../scripts/local/loopback.ts";
import { type PushTarget, SAMPLE } from "../../../scripts/local/push-folder.ts";
import { startSso } from "../../../scripts/local/sso-process.ts";
import { startWorker } from "../../../scripts/local/worker-process.ts";
import { indexDocuments } from "./documents.ts";
import { startIssuers } from "./issuers-setup.ts";
import type { GatehouseUnderTest } from "../provided.d.ts";
import { type Started, startInBackground } from "./background-start.ts";
import { makeFolder } from "./private-folder.ts";

/** The identity providers that the running Gatehouse trusts, by their names at the issuers' server. */
const REGISTERED_ISSUERS = ["in-a-burst", "left-waiting"];

/** A separate instance for tests of registration rules, so that their settings don't affect other tests. */
const APPROVAL_INSTANCE = "approval";

/** An instance without an SSO, where the first administrator begins. */
const SETUP_INSTANCE = "setup";

/** Sends a Gatehouse its documents. */
type Load = (target: PushTarget) => Promise<void>;

/**
 * Starts one Gatehouse for all tests in Node. It runs what `npm start` runs, with the same code, on free ports, and with its own
 * database and secrets, so that a developer's are not touched.
 */
export const setup = setupWith(indexDocuments);

/** Returns a setup like {@link setup}, with other documents. */
export function setupWith(load: Load) {
  return async (project: TestProject): Promise<() => Promise<void>> => {
    const { issuers, stop: stopIssuers } = await startIssuers();
    project.provide("issuers", issuers);
    const gatehouse = await startInBackground(() => startGatehouse(issuers.origin, load));
    project.provide("gatehouse", gatehouse.url);
    return async () => {
      await gatehouse.stop();
      await stopIssuers();
    };
  };
}

async function startGatehouse(issuersOrigin: string, load: Load): Promise<Started<GatehouseUnderTest>> {
  const folder = await makeFolder();
  const port = await findFreePort();
  const clientSecret = randomBytes(32).toString("base64url");
  const client = { clientId: SSO_CLIENT_ID, clientSecret };
  const approvalCallback = `http://${APPROVAL_INSTANCE}.localhost:${port}/oauth/callback`;
  const setupCallback = `http://${SETUP_INSTANCE}.localhost:${port}/oauth/callback`;
  const redirectUris = [...callbackUris({ port, https: false }), approvalCallback, setupCallback];
  const quietly = { folder, print: () => undefined };
  const [sso] = await Promise.all([
    startSso({ ...client, redirectUris }),
    makeAcme(quietly, [APPROVAL_INSTANCE, SETUP_INSTANCE]),
  ]);
  const configuration = [
    ...REGISTERED_ISSUERS.map(
      (name) =>
        `issuer add acme --issuer ${issuersOrigin}/${name} --client-id portal --email-domain acme.example --offline`,
    ),
    `sso set ${APPROVAL_INSTANCE} --issuer ${sso.issuer} --client-id ${SSO_CLIENT_ID} --client-secret-from-env SSO_CLIENT_SECRET`,
    `settings set ${APPROVAL_INSTANCE} registration=approval`,
    `oauth enable ${APPROVAL_INSTANCE}`,
  ];
  const worker = startWorker({ port, https: false, folder });
  const { baseUrl } = worker;
  const stop = async () => {
    await Promise.all([worker.stop(), sso.stop()]);
  };
  try {
    await worker.ready();
    const token = await configureAcme(baseUrl, { issuer: sso.issuer, clientSecret }, SAMPLE.map(datasourceOf), quietly);
    await run(openLocalAdmin(folder, addressOf(baseUrl)), configuration);
    await load({ origin: baseUrl, token, fetch: workerFetch(baseUrl) });
  } catch (error) {
    // The folder is kept, because it has the log that shows the reason.
    await stop();
    throw error;
  }
  return {
    told: { port, approvalInstance: APPROVAL_INSTANCE, setupInstance: SETUP_INSTANCE, folder },
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs admin commands, whose words are separated by spaces. */
async function run(admin: ReturnType<typeof openLocalAdmin>, commands: readonly string[]): Promise<void> {
  try {
    for (const command of commands) await runAdmin(command.split(" "), { ...admin, print: () => undefined });
  } finally {
    await admin.dispose();
  }
}
