import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAdmin } from "../../scripts/admin.ts";
import { readSchema } from "../../scripts/admin/schema-files.ts";
import { type BundledWorker, WORKER_FILE } from "../support/node/bundled-worker.ts";
import { type Deployments, deployWorkers } from "../support/node/deployed-worker.ts";
import { GATEHOUSE_FOLDER } from "../support/node/gatehouse.ts";
import { InstanceRequests } from "../support/node/release/instance-requests.ts";
import { countRows, observe } from "../support/node/release/observed.ts";
import { type Recorded, unpackRelease } from "../support/node/release/released-state.ts";

/** What each release has stored. `npm run release -- --fixture` writes it. */
const RELEASES = globSync("test/fixtures/releases/*/").sort();

/** Later than any grant ends. */
const NEVER = 4_000_000_000;

it("there is a fixture of a release", () => {
  expect(RELEASES).not.toEqual([]);
});

let worker: BundledWorker;

beforeAll(() => {
  worker = JSON.parse(readFileSync(join(GATEHOUSE_FOLDER, WORKER_FILE), "utf8")) as BundledWorker;
});

describe.each(RELEASES.map((folder) => ({ release: basename(folder), folder })))(
  "an instance of release $release, upgraded to this version",
  ({ folder: fixture }) => {
    let folder: string;
    let recorded: Recorded;
    let deployments: Deployments<"released" | "restored" | "again">;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "gatehouse-upgrade-"));
      recorded = await unpackRelease(fixture, folder);
      deployments = await deployWorkers(worker, recorded.masterKeys, ["released", "restored", "again"], { folder });
      await run("released", "schema apply");
    });

    afterAll(async () => {
      await deployments.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it("has all its rows", async () => {
      const { bindings } = deployments.of.released.admin;
      const schema = await readSchema();
      const { schema_versions: _versions, ...counts } = recorded.counts;
      expect(await countRows(bindings.DB, schema.whole)).toMatchObject(counts);
      const versions = await bindings.DB.prepare("SELECT max(version) AS n FROM schema_versions").first<number>("n");
      expect(versions).toBe(schema.newest);
    });

    it("answers the same to two people and to its administrator, and its audit is whole", async () => {
      expect(await observe(deployments.of.released, recorded.secrets)).toMatchObject(recorded.observed);
    });

    it("restores the backup that the release wrote, and a backup of its own", async () => {
      const written = join(folder, "written-by-the-release.jsonl");
      await writeFile(written, gunzipSync(readFileSync(join(fixture, "backup.jsonl.gz"))));
      await restore("restored", written);
      const own = join(folder, "own.jsonl");
      await run("released", `backup write ${own} --url ${deployments.of.released.baseUrl}`);
      await restore("again", own);
      // At another host, it is another issuer, and no app's tokens work there.
      const { clientId: client_id, refreshToken: refresh_token } = recorded.secrets;
      const body = new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token });
      const response = await fetch(`${deployments.of.again.baseUrl}/oauth/token`, { method: "POST", body });
      expect(await response.json()).toMatchObject({ error: "invalid_grant" });
    });

    it("refreshes the tokens of an app, which finds the same, and takes new documents", async () => {
      const { secrets, observed } = recorded;
      for (const name of ["released", "restored"] as const) {
        const { admin, baseUrl } = deployments.of[name];
        const instance = new InstanceRequests(baseUrl);
        // Years may have passed.
        await admin.bindings.DB.prepare("UPDATE grants SET expires_at = ?1").bind(NEVER).run();
        const { access_token, refresh_token } = await instance.refresh(secrets.clientId, secrets.refreshToken);
        expect(refresh_token).not.toBe(secrets.refreshToken);
        expect((await instance.found(access_token, "heron")).sort()).toEqual(observed.found["ben"]?.["heron"]);
        const scope = "--kind indexing --scope documents:wiki --expires-in-days 1 --name later";
        const { secret } = await run(name, `token create acme ${scope}`);
        const later = { datasource: "wiki", id: "later", title: "Lapwing", viewURL: "https://wiki.acme.example/later" };
        const document = { ...later, permissions: { allowedGroups: ["engineering"] } };
        await instance.ask("POST", "/rest/api/index/indexdocument", String(secret), { document });
        expect(await instance.found(access_token, "lapwing")).toEqual(["wiki:later"]);
        expect(await instance.found(secrets.people.carla, "lapwing")).toEqual([]);
      }
    });

    function run(name: keyof typeof deployments.of, command: string) {
      return runAdmin(command.split(" "), deployments.of[name].admin);
    }

    async function restore(name: "restored" | "again", file: string): Promise<void> {
      await run(name, `backup restore ${file} --url ${deployments.of[name].baseUrl}`);
      // What uploads have removed isn't in a backup.
      const { removed: _removed, ...kept } = recorded.observed;
      expect(await observe(deployments.of[name], recorded.secrets)).toMatchObject(kept);
    }
  },
);
