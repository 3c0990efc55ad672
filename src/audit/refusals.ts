import type { AuditedRefusal, D1Refusals } from "./refusals.d1.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { Refusal } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import type { RefusedRequest } from "./audit-events.ts";

/** Within this time, an isolate records refusals of the same kind once, with their number. */
const WINDOW_SECONDS = 60;

/**
 * Maximum kinds of refusals that an isolate remembers. Others are not recorded until one of these has been quiet for a minute.
 */
const KINDS_MAX = 1000;

/** Maximum refusals that one write records. */
const WRITES_AT_ONCE = 20;

/** Codes for a missing right or proof. Other codes mean that a request is malformed, or that something is down. */
const CODES: ReadonlySet<string> = new Set([
  "access_denied",
  "authentication_failed",
  "client_not_enabled",
  "client_not_registered",
  "insufficient_scope",
  "invalid_audience",
  "invalid_client",
  "invalid_dpop_proof",
  "invalid_grant",
  "invalid_issuer",
  "invalid_key",
  "invalid_registration_token",
  "invalid_secret",
  "invalid_token",
  "issuer_not_registered",
  "origin_refused",
  "slow_down",
  "too_many_requests",
  "unauthorized_client",
]);

/** Forged posts to our forms. Their code only says that the request is invalid. */
const REASONS: ReadonlySet<RefusalReason> = new Set<RefusalReason>(["csrf_token_wrong", "cross_site_post"]);

/** Ordinary events: tokens and sessions expire, people cancel, and a denied consent is recorded as `app_denied`. */
const EVERYDAY: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  "token_expired",
  "external_token_expired",
  "sign_in_cancelled",
  "session_ended",
  "consent_denied",
]);

/** A refused request, as the middleware describes it. */
export interface RefusedCall {
  readonly operation: string;
  readonly requestId: string;
  readonly network: string | undefined;
  /** The person or token that the request is known to come from. */
  readonly actor: string | undefined;
  /**
   * Whether the gate of an API refused it. The gate reads no storage, so its first refusal of a kind causes no write for a minute.
   */
  readonly isAtGate: boolean;
}

/**
 * Refusals of one kind: when the current minute began, and the latest refusal that is not written yet, with their number.
 */
interface Kind {
  since: number;
  waiting: AuditedRefusal | undefined;
}

/**
 * Records refusals in the audit, after the response. Anybody can cause them, so they have limits: an isolate writes each kind once a
 * minute, with the number since the last entry, and an instance has an hourly limit for all kinds. Refusals at a gate wait for a minute,
 * and the next refusal then writes them: an unknown caller's request costs the gate no storage access, so its refusal must not either.
 */
export class Refusals {
  readonly #store: Pick<D1Refusals, keyof D1Refusals>;
  readonly #kinds = new Map<string, Kind>();
  /** When the next waiting refusal is due. */
  #nextAt = Infinity;

  constructor(store: Pick<D1Refusals, keyof D1Refusals>) {
    this.#store = store;
  }

  /**
   * Notes a refusal, and writes the refusals that are due after the response.
   *
   * @param call called only if the refusal is recorded: most aren't
   */
  note(
    instanceId: number,
    refusal: Pick<Refusal, "code" | "connection" | "reason">,
    call: () => RefusedCall,
    waitUntil: WaitUntil,
  ): void {
    const now = epochSeconds();
    const { code, reason } = refusal;
    const isRecorded = !EVERYDAY.has(reason) && (CODES.has(code) || REASONS.has(reason));
    if (isRecorded) this.#remember(instanceId, refusal, call(), now);
    if (now >= this.#nextAt) waitUntil(this.#write(now));
  }

  #remember(
    instanceId: number,
    { code, connection, reason }: Pick<Refusal, "code" | "connection" | "reason">,
    { actor, isAtGate, ...call }: RefusedCall,
    now: number,
  ): void {
    const { clientId, grantId, personId } = connection ?? {};
    const who = personId ?? actor;
    const key = JSON.stringify([instanceId, reason, call.operation, ...(who === undefined ? [] : [who, clientId])]);
    if (!this.#kinds.has(key) && this.#kinds.size >= KINDS_MAX) this.#forgetQuiet(now);
    if (!this.#kinds.has(key) && this.#kinds.size >= KINDS_MAX) return;
    const kind = this.#kinds.get(key) ?? { since: isAtGate ? now : 0, waiting: undefined };
    const detail: RefusedRequest = {
      reason,
      code,
      operation: call.operation,
      times: (kind.waiting?.detail.times ?? 0) + 1,
      requestId: call.requestId,
      ...(clientId === undefined ? {} : { clientId: clientId.slice(0, 500) }),
      ...(personId === undefined ? {} : { personId }),
      ...(grantId === undefined ? {} : { grantId }),
      ...(call.network === undefined ? {} : { network: call.network }),
    };
    kind.waiting = { instanceId, at: now, actor: who, detail };
    this.#kinds.set(key, kind);
    this.#nextAt = Math.min(this.#nextAt, kind.since + WINDOW_SECONDS);
  }

  async #write(now: number): Promise<void> {
    const due: AuditedRefusal[] = [];
    for (const kind of this.#kinds.values()) {
      if (due.length === WRITES_AT_ONCE) break;
      if (!kind.waiting || !isDue(kind, now)) continue;
      due.push(kind.waiting);
      kind.since = now;
      kind.waiting = undefined;
    }
    const waiting = [...this.#kinds.values()].filter((kind) => kind.waiting);
    this.#nextAt = Math.min(...waiting.map(({ since }) => since + WINDOW_SECONDS));
    if (due.length === 0) return;
    try {
      await this.#store.record(due);
    } catch (error) {
      log({ level: "warn", event: "refusals_not_recorded", detail: describeError(error) });
    }
  }

  #forgetQuiet(now: number): void {
    for (const [key, kind] of this.#kinds) if (!kind.waiting && isDue(kind, now)) this.#kinds.delete(key);
  }
}

function isDue({ since }: Kind, now: number): boolean {
  return now - since >= WINDOW_SECONDS;
}
