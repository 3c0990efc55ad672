/** SQL of what decides whether an approval covers a client. */
export interface CoverableClient {
  readonly instanceId: string;
  readonly app: string;
  readonly variant: string;
  readonly scopes: string;
}

/** Returns the condition that an administrator approved an install of the app that has everything that this client has. */
export function isCovered(client: "clients" | "c" | CoverableClient): string {
  const { instanceId, app, variant, scopes } =
    typeof client === "object"
      ? client
      : {
          instanceId: `${client}.instance_id`,
          app: `${client}.app`,
          variant: `${client}.variant`,
          scopes: `${client}.scopes`,
        };
  return `EXISTS (SELECT 1 FROM app_approvals a WHERE a.instance_id = ${instanceId} AND a.app = ${app} AND a.variant = ${variant}
    AND a.disabled_at IS NULL AND (a.scopes = ${scopes} OR NOT EXISTS (SELECT 1 FROM json_each(${scopes}) s
      WHERE s.value NOT IN (SELECT value FROM json_each(a.scopes)))))`;
}

/**
 * Returns the condition that a client may become an install of its app: administrators disabled none, or approved one like this. Of an
 * approved app, they may have denied one that differs: this must not keep out others.
 */
export function isWelcome(client: CoverableClient): string {
  const { instanceId, app, variant } = client;
  return `(${isCovered(client)} OR NOT EXISTS (SELECT 1 FROM clients o
    WHERE o.instance_id = ${instanceId} AND o.app = ${app} AND o.disabled_at IS NOT NULL AND (o.variant = ${variant} OR NOT EXISTS (
      SELECT 1 FROM app_approvals a WHERE a.instance_id = ${instanceId} AND a.app = ${app} AND a.disabled_at IS NULL))))`;
}

/** Returns what administrators require of the app's installs; `NULL` if it has none. */
export function requirementsOfApp(instanceId: string, app: string): string {
  return `(SELECT o.requirements FROM clients o WHERE o.instance_id = ${instanceId} AND o.app = ${app}
    ORDER BY o.changed_at DESC LIMIT 1)`;
}

/** Returns the app of a client: SQL of its id or its app's, and of its instance. */
export function appOf(name: string, instanceId: string): string {
  return `coalesce((SELECT o.app FROM clients o WHERE o.id = ${name} AND o.instance_id = ${instanceId}), ${name})`;
}

/** Returns a query of the ids of all installs of an app of the instance ?1, by the id of one or by the app's. */
export function installsOf(name: string): string {
  return `SELECT o.id FROM clients o WHERE o.instance_id = ?1 AND o.app = ${appOf(name, "?1")}`;
}
