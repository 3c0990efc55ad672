import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { runAdmin } from "../../../scripts/admin.ts";
import type { AdminContext } from "../../../scripts/admin/context.ts";
import { localPlace } from "../../../scripts/admin/place.ts";
import { datasourceOf } from "../../../clients/push/options.ts";
import { configureAcme, SSO_CLIENT_ID } from "../../../scripts/local/acme.ts";
import { callbackUris } from "../../../scripts/local/local-origins.ts";
import { workerFetch } from "../../../scripts/local/local-request.ts";
import { findFreePort } from "../../../scripts/local/loopback.ts";
import { type PushTarget, SAMPLE } from "../../../scripts/local/push-folder.ts";
import { startSso } from "../../../scripts/local/sso-process.ts";
import { bundleWorker, WORKER_FILE } from "./bundled-worker.ts";
import { deployWorkers } from "./deployed-worker.ts";
import { indexDocuments } from "./documents.ts";
import { startIssuers } from "./issuers-setup.ts";
import type { GatehouseUnderTest } from "../provided.d.ts";
import { type Started, startInBackground } from "./background-start.ts";
import { makeFolder } from "./private-folder.ts";
import { runScript } from "./run-script.ts";

/** The identity providers that the running Gatehouse trusts, by their names at the issuers' server. */
const REGISTERED_ISSUERS = ["in-a-burst", "left-waiting"];

/** A separate instance for tests of registration rules, so that their settings don't affect other tests. */
const APPROVAL_INSTANCE = "approval";

/** An instance without an SSO, where the first administrator begins. */
const SETUP_INSTANCE = "setup";

/** Sends a Gatehouse its documents. */
type Load = (target: PushTarget) => Promise<void>;

/**
 * Starts one Gatehouse for all tests in Node, on free ports, with the SSO and the configuration of `npm start`, and its own
 * database and secrets. It runs without `wrangler dev`, whose proxies cost several times as much as the Worker; `npm start` itself
 * is in the rehearsal.
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
  const masterKeys = localPlace(folder).masterKeys ?? "";
  const [sso, worker] = await Promise.all([
    startSso({ ...client, redirectUris }),
    bundleWorker(),
    runScript("scripts/copy-reference.ts", []),
  ]);
  await writeFile(join(folder, WORKER_FILE), JSON.stringify(worker));
  const deployments = await deployWorkers(worker, masterKeys, ["gatehouse"], { port, log: join(folder, "worker.log") });
  const configuration = [
    ...REGISTERED_ISSUERS.map(
      (name) =>
        `issuer add acme --issuer ${issuersOrigin}/${name} --client-id portal --email-domain acme.example --offline`,
    ),
    `sso set ${APPROVAL_INSTANCE} --issuer ${sso.issuer} --client-id ${SSO_CLIENT_ID} --client-secret-from-env SSO_CLIENT_SECRET`,
    `settings set ${APPROVAL_INSTANCE} registration=approval`,
    `oauth enable ${APPROVAL_INSTANCE}`,
  ];
  const { baseUrl, admin } = deployments.of.gatehouse;
  const stop = async () => {
    await Promise.all([deployments.stop(), sso.stop()]);
  };
  try {
    const names = ["acme", APPROVAL_INSTANCE, SETUP_INSTANCE];
    await run(admin, ["schema apply", ...names.map((name) => `instance create ${name} --admin ada@acme.example`)]);
    const issuer = { issuer: sso.issuer, clientSecret };
    const token = await configureAcme(baseUrl, issuer, SAMPLE.map(datasourceOf), { folder, print: () => undefined });
    await run(admin, configuration);
    await load({ origin: baseUrl, token, fetch: workerFetch(baseUrl) });
  } catch (error) {
    // The folder is kept, because it has the log that shows the reason.
    await stop();
    throw error;
  }
  return {
    told: {
      port,
      approvalInstance: APPROVAL_INSTANCE,
      setupInstance: SETUP_INSTANCE,
      folder,
      sso: { issuer: sso.issuer, ...client },
    },
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs admin commands, whose words are separated by spaces. */
async function run(admin: AdminContext, commands: readonly string[]): Promise<void> {
  for (const command of commands) await runAdmin(command.split(" "), admin);
}
