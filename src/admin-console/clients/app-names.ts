import { PERSONAL_TOKENS } from "#app-access/app-content.ts";
import { SELF_REGISTERED } from "#app-access/app-rules.ts";
import type { ConsoleContext } from "#admin-console/http.ts";

/** Returns what pages call apps of any kind and service accounts, under the names that their conditions are stored with. */
export async function appNames(c: ConsoleContext, apps: readonly string[]): Promise<(app: string) => string> {
  const { instance, services } = c.var;
  const names = await services.clientDirectory.namesOf(instance.policy.instanceId, apps);
  return (app) =>
    app === SELF_REGISTERED
      ? "apps that no administrator created"
      : app === PERSONAL_TOKENS
        ? "tokens that administrators create for a person"
        : (names.get(app) ?? app);
}
