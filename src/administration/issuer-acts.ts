import type { D1Instances } from "#instance/instances.d1.ts";
import type { D1ExternalIssuers } from "#issuers/external-issuers.d1.ts";
import { type IssuerChanges, type IssuerDraft, readConfiguration } from "#issuers/configuration-rules.ts";
import { type ExternalIssuer, ISSUERS_MAX, type RegisteredIssuer } from "#issuers/external-issuer.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Acts, changeFromCurrent, type RequireSeen } from "./acts.ts";

interface Parts {
  readonly instances: D1Instances;
  readonly store: D1ExternalIssuers;
  /** The pattern of this deployment's own hosts, which contains `{instance}`. */
  readonly hostPattern: string;
}

/** Decisions about the identity providers whose access tokens the Client API accepts. */
export class IssuerActs extends Acts<Parts> {
  /**
   * Registers an issuer that is not registered yet.
   *
   * @throws {AdministrationRefused} if the configuration would let in the wrong people, or nobody; if there are too many issuers;
   *   and if the issuer is already registered, because its settings would be lost
   */
  async add(draft: IssuerDraft): Promise<RegisteredIssuer> {
    const configuration = await this.#read(draft);
    if (await this.#add(configuration)) return this.#shown(configuration.issuer);
    if (await this.parts.store.find(this.instance.id, configuration.issuer)) {
      throw new AdministrationRefused(
        `The issuer ${configuration.issuer} is already registered: change it instead`,
        "issuer",
      );
    }
    throw await this.#whyNotAdded(configuration.issuer);
  }

  /**
   * Registers an issuer. If it is registered already, this configuration replaces the old one; a disabled issuer stays disabled.
   *
   * @param requireSeen throws if the registered configuration, or `null`, is not what the administrator saw; nothing is added then
   * @throws {AdministrationRefused} if the configuration would let in the wrong people, or nobody, or if there are too many issuers
   */
  async register(draft: IssuerDraft, requireSeen?: RequireSeen<RegisteredIssuer | null>): Promise<RegisteredIssuer> {
    const configuration = await this.#read(draft);
    const { issuer } = configuration;
    if (!requireSeen) {
      if (await this.#add(configuration)) return this.#shown(issuer);
      if (!(await this.parts.store.find(this.instance.id, issuer))) throw await this.#whyNotAdded(issuer);
    }
    return this.#replace(issuer, () => configuration, requireSeen);
  }

  /**
   * Changes only the given members. Changes that others make in the meantime stay.
   *
   * @param requireSeen throws if the registered configuration, or `null`, is not what the administrator saw
   * @throws {ApiError} `not_found` if the issuer is not registered
   * @throws {AdministrationRefused} if the change makes its configuration unacceptable
   */
  edit(
    issuer: string,
    changes: IssuerChanges,
    requireSeen?: RequireSeen<RegisteredIssuer | null>,
  ): Promise<RegisteredIssuer> {
    const change = (before: ExternalIssuer) => this.#read({ ...before, ...changes, issuer });
    return this.#replace(issuer, change, requireSeen);
  }

  /**
   * Disables an issuer and keeps its configuration. Its tokens are refused within the age of a policy snapshot.
   *
   * @returns whether it was enabled
   * @throws {ApiError} `not_found` if it is not registered
   */
  async disable(issuer: string): Promise<boolean> {
    await this.parts.store.require(this.instance, issuer);
    const entry = this.entry("external_issuer_disabled", { issuer });
    return this.concluded(await this.parts.store.disable(issuer, entry));
  }

  /**
   * Accepts an issuer's tokens again. Its configuration is checked again, because the SSO may have changed.
   *
   * @returns whether it was disabled
   * @throws {ApiError} `not_found` if it is not registered
   * @throws {AdministrationRefused} if its configuration is no longer acceptable
   */
  async enable(issuer: string): Promise<boolean> {
    const { configuration } = await this.parts.store.require(this.instance, issuer);
    await this.#read(configuration);
    const entry = this.entry("external_issuer_enabled", { issuer });
    return this.concluded(await this.parts.store.enable(issuer, entry));
  }

  /**
   * Deletes an issuer. People who were created through it stay.
   *
   * @throws {ApiError} `not_found` if it is not registered
   */
  async remove(issuer: string): Promise<void> {
    const { configuration: before } = await this.parts.store.require(this.instance, issuer);
    const entry = this.entry("external_issuer_removed", { before });
    await this.concluded(await this.parts.store.remove(issuer, entry));
  }

  async #add(configuration: ExternalIssuer): Promise<boolean> {
    const entry = this.entry("external_issuer_registered", { after: configuration });
    return this.concluded(await this.parts.store.add(configuration, entry));
  }

  async #whyNotAdded(issuer: string): Promise<AdministrationRefused> {
    const known = (await this.parts.store.list(this.instance.id)).map(({ configuration }) => configuration.issuer);
    const alike = known.find((each) => each.toLowerCase() === issuer.toLowerCase());
    if (alike === undefined) return tooMany();
    return new AdministrationRefused(
      `The issuer differs only by case from ${alike}: their groups couldn’t be distinguished`,
      "issuer",
    );
  }

  #replace(
    issuer: string,
    change: (before: ExternalIssuer) => ExternalIssuer | Promise<ExternalIssuer>,
    requireSeen?: RequireSeen<RegisteredIssuer | null>,
  ): Promise<RegisteredIssuer> {
    const { store } = this.parts;
    return changeFromCurrent(
      () => store.find(this.instance.id, issuer),
      async (stored) => {
        await requireSeen?.(stored);
        const before = stored ?? (await store.require(this.instance, issuer));
        const after = await change(before.configuration);
        if (JSON.stringify(after) === JSON.stringify(before.configuration)) return before;
        const detail = { before: before.configuration, after };
        const entry = this.entry("external_issuer_changed", detail);
        const isWritten = await store.replace(after, before, entry);
        return (await this.concluded(isWritten)) ? this.#shown(issuer) : undefined;
      },
    );
  }

  async #read(draft: IssuerDraft): Promise<ExternalIssuer> {
    const { singleSignOns } = await this.parts.instances.require(this.instance.name);
    return readConfiguration(draft, {
      hostPattern: this.parts.hostPattern,
      singleSignOnIssuers: singleSignOns.map(({ issuer }) => issuer),
    });
  }

  #shown(issuer: string): Promise<RegisteredIssuer> {
    return this.parts.store.require(this.instance, issuer);
  }
}

function tooMany(): AdministrationRefused {
  return new AdministrationRefused(`An instance has at most ${ISSUERS_MAX} issuers: remove one that you don't need`);
}
