import { D1Store } from "#platform/d1-store.ts";
import { allRows } from "#platform/d1.ts";
import type { Profile, Profiles } from "./profiles.ts";

export class D1Profiles extends D1Store implements Profiles {
  async read(instanceId: number, personId: string): Promise<Profile | null> {
    const [row] = await allRows<Profile>(
      this.database
        .prepare("SELECT email, name FROM people WHERE instance_id = ?1 AND id = ?2")
        .bind(instanceId, personId),
    );
    return row ?? null;
  }
}
