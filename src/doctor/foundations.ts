import type { AuditDelivery, DeliveryState } from "#audit/audit-delivery.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { D1Maintenance, MaintenanceRun } from "#maintenance/maintenance.d1.ts";
import { epochSeconds } from "#platform/clock.ts";
import { attempt, failed, type Finding, ok, warning } from "#platform/finding.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";

/** The cron trigger fires every hour. If two runs are missing, it counts as missing. */
const MAINTENANCE_SECONDS_MAX = 2 * 3600 + 600;

/**
 * Entries reach a receiver within about a minute. After ten, the every-minute trigger is missing, or the receiver can't keep up.
 */
const DELIVERY_LAG_SECONDS_MAX = 600;

/** The infrastructure that the service depends on. */
export interface Foundations {
  /** Writes a word to the cache and reads it back; `null` if it can't be read yet. */
  readonly cache: { echo(word: string): Promise<string | null> };
  readonly keyring: Pick<Keyring, "open">;
  readonly signingKeys: Pick<SigningKeys, "isUsable">;
  readonly maintenance: Pick<D1Maintenance, "last">;
  readonly auditDelivery: Pick<AuditDelivery, "state">;
}

const MASTER_KEYS =
  "Put the master key that encrypted it back into MASTER_KEYS, after the current one. If it is lost, connect the single sign-on again and rotate the signing key.";

/** Checks the database, the cache, the keys, the cron trigger and audit delivery. */
export function checkFoundations(
  { auditDelivery, cache, keyring, maintenance, signingKeys }: Foundations,
  { instanceId, name, singleSignOns }: Pick<PolicySnapshot, "instanceId" | "name" | "singleSignOns">,
): Promise<Finding[]> {
  return Promise.all([
    attempt("Database (D1)", "Check that D1 works and that the binding DB has the right database.", async () => {
      await maintenance.last();
      return ok("Database (D1)", "It responds.");
    }),
    attempt("Cache (KV)", "Check that the binding CACHE has an existing KV namespace.", async () => {
      const isBack = (await cache.echo("doctor")) === "doctor";
      if (isBack) return ok("Cache (KV)", "Writing and reading work.");
      return warning(
        "Cache (KV)",
        "A written value can’t be read yet.",
        "Check again in a minute: KV needs time to propagate new values.",
      );
    }),
    attempt("Secret of the single sign-on", MASTER_KEYS, async () => {
      const purpose = singleSignOnPurpose(name);
      await Promise.all(singleSignOns.map((sso) => keyring.open(purpose, sso.sealedClientSecret)));
      return singleSignOns.length === 0
        ? warning("Secret of the single sign-on", "None yet.", "Connect the single sign-on.")
        : ok("Secret of the single sign-on", "The master key can decrypt it.");
    }),
    attempt("Signing key", MASTER_KEYS, async () => {
      const opened = await signingKeys.isUsable(instanceId);
      return opened === null
        ? ok("Signing key", "None yet: the first one is created when it is needed.")
        : ok("Signing key", "The master key can decrypt it.");
    }),
    attempt("Hourly maintenance", "Check that the Worker has its cron trigger.", async () =>
      judgeMaintenance(await maintenance.last(), epochSeconds()),
    ),
    attempt("Audit delivery", "Check that D1 works and that the schema is current.", async () =>
      judgeDelivery(await auditDelivery.state(instanceId)),
    ),
  ]);
}

function judgeDelivery(state: DeliveryState | null): Finding {
  const check = "Audit delivery";
  if (!state) return ok(check, "No receiver is set.");
  const { failures, lagSeconds, lastError, waiting } = state;
  const entries = waiting === 1 ? "1 entry waits" : `${waiting} entries wait`;
  if (failures > 0) {
    return failed(
      check,
      `The last ${failures === 1 ? "attempt" : `${failures} attempts`} failed, and ${entries}: ${lastError ?? "unknown error"}.`,
      "Check the receiver’s address, its Authorization header and its log.",
    );
  }
  if (lagSeconds > DELIVERY_LAG_SECONDS_MAX) {
    return warning(
      check,
      `${entries}, the oldest for ${Math.round(lagSeconds / 60)} minutes.`,
      "Check that wrangler.toml has a cron for every minute, then deploy again.",
    );
  }
  return ok(check, waiting === 0 ? "The receiver has every entry." : `${entries} for the next delivery.`);
}

function judgeMaintenance(run: MaintenanceRun | null, now: number): Finding {
  const check = "Hourly maintenance";
  const remedy = "Check that wrangler.toml has [triggers] with crons, then deploy again.";
  if (!run) return warning(check, "It hasn’t run yet. The first run is due within an hour of the deployment.", remedy);
  const minutes = Math.round((now - run.ranAt) / 60);
  if (now - run.ranAt > MAINTENANCE_SECONDS_MAX) {
    return failed(
      check,
      `It last ran ${minutes} minutes ago. Keys are not rotated, and expired rows are not deleted.`,
      remedy,
    );
  }
  if (run.failed.length > 0) {
    return failed(
      check,
      `It ran ${minutes} minutes ago, and some steps failed: ${run.failed.join(", ")}.`,
      "Look in the log for maintenance_failed.",
    );
  }
  return ok(check, `It ran ${minutes} minutes ago.`);
}
