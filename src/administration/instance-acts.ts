import type { InstanceRecord } from "#instance/instances.ts";
import type { D1Instances } from "#instance/instances.d1.ts";
import { isInstanceName } from "#platform/host-naming.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { enginesIn } from "#documents/moving/placement.ts";
import type { Where } from "#documents/sharding/layout.ts";
import { Acts } from "./acts.ts";

export class InstanceActs extends Acts<{ readonly instances: D1Instances }> {
  /**
   * Creates an instance.
   *
   * @param where the jurisdiction or region of its documents; `null`: wherever the first request comes from
   * @throws {AdministrationRefused} if the name can't be part of a host name, or is taken
   */
  async create(name: string, actor: string, where: Where | null = null): Promise<InstanceRecord> {
    if (!isInstanceName(name)) {
      throw new AdministrationRefused(
        "The name of an instance is part of its host name: use a-z, digits and dashes, at most 63 characters",
      );
    }
    if (!(await this.parts.instances.create(name, enginesIn(where)[0] ?? "object", this.now(), actor))) {
      throw new AdministrationRefused(`There is already an instance ${name}`);
    }
    const instance = await this.parts.instances.require(name);
    await this.takeEffect(instance);
    return instance;
  }
}
