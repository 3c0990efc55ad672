import { enginesIn } from "#documents/moving/engines.ts";
import type { Where } from "#documents/sharding/layout.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { epochSeconds } from "#platform/clock.ts";
import { isInstanceName } from "#platform/host-naming.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Services } from "#services.ts";

/**
 * Creates an instance, which no Worker can do: only whoever runs the deployment decides what its hosts are.
 *
 * @param actor as in audit entries
 * @param where the jurisdiction or region of its documents; `null`: wherever the first request comes from
 * @throws {AdministrationRefused} if the name can't be part of a host name, or is taken
 */
export async function createInstance(
  { instances, takeEffect }: Pick<Services, "instances" | "takeEffect">,
  name: string,
  actor: string,
  where: Where | null = null,
): Promise<InstanceRecord> {
  if (!isInstanceName(name)) {
    throw new AdministrationRefused(
      "The name of an instance is part of its host name: use a-z, digits and dashes, at most 63 characters",
    );
  }
  if (!(await instances.create(name, enginesIn(where)[0] ?? "object", epochSeconds(), actor))) {
    throw new AdministrationRefused(`There is already an instance ${name}`);
  }
  const instance = await instances.require(name);
  await takeEffect(instance);
  return instance;
}
