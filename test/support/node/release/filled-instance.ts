import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runAdmin } from "../../../../scripts/admin.ts";
import { startSso } from "../../../../scripts/local/sso-process.ts";
import type { DeployedWorker } from "../deployed-worker.ts";
import { DECLARED, DOCUMENTS, UPLOADED } from "./contents.ts";
import { InstanceRequests, ORIGIN } from "./instance-requests.ts";

/** What is needed to use the filled instance again. */
export interface Secrets {
  readonly clientId: string;
  readonly refreshToken: string;
  /** Tokens for the Client API that don't expire, by person. The two find different documents. */
  readonly people: { readonly ben: string; readonly carla: string };
}

const INDEXING = "/rest/api/index";

/**
 * Fills a new deployment with one of everything, as administrators, people, apps, pipelines and directories do.
 *
 * @param folder for files that commands read
 */
export async function fillInstance({ admin, baseUrl }: DeployedWorker, folder: string): Promise<Secrets> {
  const run = (command: string, ...more: readonly string[]) => runAdmin([...command.split(" "), ...more], admin);
  const tokenOf = async (kind: string, days = "--expires-in-days 9") =>
    String((await run(`token create acme --name made --kind ${kind} ${days}`.trim()))["secret"]);
  const instance = new InstanceRequests(baseUrl);
  const clientSecret = randomBytes(24).toString("hex");
  const redirectUris = [`${ORIGIN}/oauth/callback`];
  const sso = await startSso({ clientId: "gatehouse", clientSecret, redirectUris });
  try {
    await run("schema apply");
    await run("instance create acme --admin ada@acme.example");
    Object.assign(process.env, { GATEHOUSE_SECRET_SSO: clientSecret, GATEHOUSE_SECRET_EVENTS: "Bearer of-the-events" });
    const connection = "--client-id gatehouse --client-secret-from-env GATEHOUSE_SECRET_SSO --groups-claim groups";
    await run(`sso set acme --issuer ${sso.issuer} ${connection}`, "--scope", "openid profile email groups");
    await run("oauth enable acme");
    const file = join(folder, "declared.json");
    await writeFile(file, JSON.stringify(DECLARED));
    await run(`apply acme ${file} --yes`);

    const directory = await tokenOf("scim --scope directory:okta");
    const user = { userName: "greta@acme.example", active: true, name: { givenName: "Greta", familyName: "Lindner" } };
    const { id } = await instance.ask("POST", "/scim/v2/Users", directory, { schemas: [SCIM("User")], ...user });
    const group = { displayName: "Sales", members: [{ value: id }] };
    await instance.ask("POST", "/scim/v2/Groups", directory, { schemas: [SCIM("Group")], ...group });

    const pipeline = await tokenOf("indexing --scope documents:global_scope");
    const push = (call: string, body: object) => instance.ask("POST", `${INDEXING}/${call}`, pipeline, body);
    const ben = { email: "ben@acme.example", userId: "ben-1" };
    await push("indexuser", { datasource: "wiki", user: ben });
    for (const name of ["staff", "project-x"]) await push("indexgroup", { datasource: "wiki", group: { name } });
    const nested = { groupName: "project-x", memberGroupName: "staff" };
    for (const membership of [{ groupName: "staff", memberUserId: "ben-1" }, nested]) {
      await push("indexmembership", { datasource: "wiki", membership });
    }
    await push("indexdocuments", { documents: DOCUMENTS });
    for (const [uploadId, documents] of UPLOADED) {
      await push("bulkindexdocuments", {
        uploadId,
        datasource: "news",
        isFirstPage: true,
        isLastPage: true,
        documents,
      });
    }
    const describing = await tokenOf("indexing --scope custommetadata:global_scope");
    const customMetadata = [{ name: "stage", value: "approved" }];
    await instance.ask("PUT", `${INDEXING}/document/wiki%3Aplan/custom-metadata/deal`, describing, { customMetadata });

    const clientId = await instance.register("Research helper");
    const first = await instance.allow(clientId, "ben");
    const { refresh_token: refreshToken } = await instance.refresh(clientId, first.refresh_token);
    await instance.ask("POST", "/rest/api/v1/search", first.access_token, { query: "zeppelin" });
    await instance.allow(clientId, "carla");
    const administering = await tokenOf("admin --scope admin:read --scope admin:security");
    const administer = <Answer>(method: string, path: string, body?: unknown) =>
      instance.ask<Answer>(method, `/rest/api/admin/v1/${path}`, administering, body);
    const { items } = await administer<{ items: { id: string }[] }>("GET", "grants?search=carla");
    await run(`grant revoke acme ${items[0]?.id} --yes`);
    await run("registration approval acme");
    await instance.askFor(await instance.register("Waiting helper"), "ben");
    await run(`client approve acme ${clientId}`);

    const forever = (email: string) => tokenOf(`client-api --scope SEARCH --person ${email}`, "");
    const people = { ben: await forever("ben@acme.example"), carla: await forever("carla@acme.example") };
    await run("person deactivate acme farid@acme.example --yes");
    await run("signing-key rotate acme --yes");
    await run("settings set acme auditReceiver=https://collector.example/events");
    await administer("PUT", "audit/delivery/authorization", { authorization: "Bearer of-the-collector" });
    await administer("POST", "tokens", {
      kind: "admin",
      name: "by a token",
      scopes: ["admin:read"],
      lifetimeSeconds: 60,
    });
    const headers = { Authorization: `Bearer ${administering}`, "Content-Type": "image/png" };
    await fetch(`${baseUrl}/rest/api/admin/v1/logo`, { method: "PUT", headers, body: LOGO });
    await run("master-key reseal");
    return { clientId, refreshToken, people };
  } finally {
    await sso.stop();
  }
}

/** The beginning of a PNG, which is all that is checked. */
const LOGO = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const SCIM = (type: string) => `urn:ietf:params:scim:schemas:core:2.0:${type}`;
