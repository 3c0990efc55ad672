import type { AuditEntry } from "#audit/audit.ts";
import { type LogoStore, readLogo } from "#branding/logo.ts";
import { sha256 } from "#crypto/hash.ts";
import type { Clock } from "#platform/clock.ts";
import type { TakeEffect } from "./take-effect.ts";

type Instance = Parameters<TakeEffect>[0];

/** What is decided about the picture on an instance's pages. */
export class LogoActs {
  readonly #store: LogoStore;
  readonly #takeEffect: TakeEffect;
  readonly #clock: Clock;

  constructor(store: LogoStore, takeEffect: TakeEffect, clock: Clock) {
    this.#store = store;
    this.#takeEffect = takeEffect;
    this.#clock = clock;
  }

  /** @throws {AdministrationRefused} for what is no picture of the three kinds, or too large */
  async put(instance: Instance, bytes: Uint8Array<ArrayBuffer>, actor: string): Promise<void> {
    const logo = readLogo(bytes);
    const hash = await sha256(bytes);
    const after = { hash, type: logo.type, bytes: bytes.length };
    await this.#store.put(instance.id, hash, logo, this.#entry(instance, actor, after));
    await this.#takeEffect(instance);
  }

  async remove(instance: Instance, actor: string): Promise<void> {
    await this.#store.remove(instance.id, this.#entry(instance, actor, null));
    await this.#takeEffect(instance);
  }

  #entry(
    { id }: Instance,
    actor: string,
    after: AuditEntry<"logo_changed">["detail"]["after"],
  ): AuditEntry<"logo_changed"> {
    return { instanceId: id, at: this.#clock(), actor, event: "logo_changed", detail: { before: null, after } };
  }
}
