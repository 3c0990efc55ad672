import type { ChainVerification } from "#audit/chain-verification.ts";
import { signedRequest } from "#audit/delivery-signature.ts";
import { randomId } from "#crypto/secrets.ts";
import type { SigningKey } from "#crypto/signing-key.ts";
import type { D1Instances } from "#instance/instances.d1.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { Bindings } from "#platform/bindings.ts";
import { epochSeconds, isoTime } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import { parseSettings } from "#settings/settings.ts";
import type { ConnectionCheck } from "#single-sign-on/connection-check.ts";
import { callbackUri } from "#single-sign-on/sign-in.ts";
import type { D1Alerts, ToldState } from "./alerts.d1.ts";
import { type DecisionReads, readDecisions, SOON_SECONDS } from "./decisions.ts";

/** The most instances that one run checks; the others wait for the next one. */
const INSTANCES_PER_RUN = 50;

const DAY_SECONDS = 86_400;

/** What is told, with the page of the console where to act on it. `#` is replaced by the count. */
const KINDS = {
  appsWaiting: ["Apps that wait for approval: #", "/clients?state=waiting"],
  deletionsHeld: ["Uploads that were stopped because they would remove many documents: #", "/content"],
  tokensExpiring: ["Tokens that expire within two weeks: #", "/tokens"],
  keyOverdue: ["The signing key was not rotated when it was due", "/keys"],
  refusalsRisen: ["Far more requests are refused today than usual", ""],
  signInFails: ["A single sign-on does not work as it should, so people may be unable to sign in", "/doctor"],
  auditBroken: ["The audit log is not intact from entry # on", "/audit/check"],
} as const;

type Kind = keyof typeof KINDS;

/** The state of an instance of which nobody was told anything. */
const UNTOLD: ToldState = { receiver: "", levels: {}, auditAfter: 0, checkedAt: 0 };

interface Parts extends DecisionReads {
  readonly store: D1Alerts;
  readonly instances: Pick<D1Instances, "list">;
  readonly connectionCheck: Pick<ConnectionCheck, "check">;
  readonly auditVerification: Pick<ChainVerification, "verifyPart">;
  /** Returns the signing key of an instance, whose public half is in the instance's key set. */
  readonly keyOf: (instanceName: string) => Promise<SigningKey>;
  readonly fetch: OutgoingFetch;
  readonly bindings: Pick<Bindings, "ALERT_SENDER" | "EMAIL" | "INSTANCE_HOST" | "SERVICE_NAME">;
}

/**
 * Tells the administrators of an instance what needs their attention, if they set a receiver. What stands is told once, and again only
 * when it grows. A message that was not accepted is sent again an hour later.
 */
export class Alerts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Checks the instances that have a receiver. @returns how many messages were sent */
  async run(): Promise<number> {
    const { instances, store } = this.#parts;
    const receiving = (await instances.list()).flatMap((instance) => {
      const { alertReceiver: receiver, displayName = instance.name } = parseSettings(instance.settings);
      return receiver === undefined ? [] : [{ instance, receiver, displayName }];
    });
    if (receiving.length === 0) return 0;
    const states = await store.states();
    const checkedAt = (id: number) => states.get(id)?.checkedAt ?? 0;
    let sent = 0;
    for (const { instance, receiver, displayName } of receiving
      .toSorted((one, other) => checkedAt(one.instance.id) - checkedAt(other.instance.id))
      .slice(0, INSTANCES_PER_RUN)) {
      const stored = states.get(instance.id);
      // Another receiver knows nothing yet.
      const isNew = stored?.receiver !== receiver;
      const before = isNew ? UNTOLD : stored;
      try {
        const after = await this.#check(instance, before);
        const told = grown(after.levels, before.levels, `${this.#originOf(instance)}/admin`);
        if (isNew) told.unshift({ kind: "started", text: "From now on, messages like this one come here." });
        if (told.length > 0) await this.#send(instance.name, receiver, displayName, told);
        sent += told.length > 0 ? 1 : 0;
        await store.write(instance.id, { ...after, receiver });
      } catch (error) {
        log({ level: "warn", event: "alert_not_sent", instanceId: instance.id, detail: describeError(error) });
        // It was its turn, or instances whose receivers fail would keep all others waiting.
        await store.write(instance.id, { ...before, checkedAt: epochSeconds() });
      }
    }
    return sent;
  }

  /** Returns what stands now. Each run verifies another part of the audit. */
  async #check(instance: InstanceRecord, { levels, auditAfter }: ToldState): Promise<Omit<ToldState, "receiver">> {
    const { auditVerification, connectionCheck } = this.#parts;
    const now = epochSeconds();
    const { decisions } = await readDecisions(this.#parts, instance.id, now);
    const issuer = this.#originOf(instance);
    const signIns = await Promise.all(
      instance.singleSignOns.map((sso) => connectionCheck.check(instance, sso, callbackUri({ issuer }, sso))),
    );
    const audit = await auditVerification.verifyPart(instance.id, auditAfter);
    const found: Record<Kind, number> = {
      appsWaiting: decisions.appsWaiting,
      deletionsHeld: decisions.held.length,
      // Nobody has to be told that a token for a day ends.
      tokensExpiring: decisions.tokensExpiring.filter((token) => token.expiresAt - token.createdAt > SOON_SECONDS)
        .length,
      keyOverdue: decisions.isKeyOverdue ? 1 : 0,
      refusalsRisen: decisions.haveRefusalsRisen ? Math.floor(now / DAY_SECONDS) : 0,
      signInFails: signIns.flat().some(({ verdict }) => verdict === "failed") ? 1 : 0,
      auditBroken: audit.brokenAt ?? levels["auditBroken"] ?? 0,
    };
    return { levels: found, auditAfter: audit.next ?? 0, checkedAt: now };
  }

  async #send(name: string, receiver: string, displayName: string, told: readonly Told[]): Promise<void> {
    const { bindings, fetch, keyOf } = this.#parts;
    const { ALERT_SENDER: from, EMAIL: email, SERVICE_NAME: service } = bindings;
    const text = `${displayName} on ${service}:\n${told.map((each) => each.text).join("\n")}`;
    if (!receiver.startsWith("https://")) {
      if (!email || from === undefined) throw new Error("the deployment has no binding EMAIL or no ALERT_SENDER");
      await email.send({ from, to: receiver, subject: `${service}: ${displayName} needs your attention`, text });
      return;
    }
    const now = epochSeconds();
    const message = { id: randomId(), type: "attention", timestamp: isoTime(now), instance: name, text, alerts: told };
    const request = await signedRequest(receiver, JSON.stringify(message), await keyOf(name), now, {
      type: "application/json",
    });
    const { ok, status } = await fetch(receiver, request);
    if (!ok) throw new Error(`the receiver answered ${status}`);
  }

  #originOf({ name }: InstanceRecord): string {
    return `https://${this.#parts.bindings.INSTANCE_HOST.replace("{instance}", name)}`;
  }
}

interface Told {
  readonly kind: Kind | "started";
  readonly text: string;
}

/** Returns what has grown, each as a line with its page. */
function grown(levels: ToldState["levels"], before: ToldState["levels"], consoleUrl: string): Told[] {
  return (Object.keys(KINDS) as Kind[]).flatMap((kind) => {
    const level = levels[kind] ?? 0;
    const [words, page] = KINDS[kind];
    if (level <= (before[kind] ?? 0)) return [];
    return [{ kind, text: `${words.replace("#", String(level))}. ${consoleUrl}${page}` }];
  });
}
