import { isObject } from "#protocol/json-object.ts";
import type { NamedSubject } from "#people/named-people.d1.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";

/** The subject of a signal. */
export interface SignalSubject {
  /** The people who may be meant, best first; empty if only a session is named. */
  readonly person: readonly NamedSubject[];
  /** The `sid` of the session at the sender; `undefined`: all of the person's sessions. */
  readonly session: string | undefined;
}

/** The issuers of the sender and of this instance, to which the ids in a message belong. */
interface Ends {
  readonly sender: string;
  readonly here: string;
}

/** Maximum length in the audit, because senders choose their texts. */
const TEXT_CHARACTERS_MAX = 300;

/** Maximum identifiers of one person: more than any sender has. */
const ALIASES_MAX = 10;

/**
 * Reads a subject identifier (RFC 9493 §3.2; `complex`: Shared Signals Framework 1.0 §3.2). Older transmitters send the members of a
 * complex subject without its `format`.
 *
 * @param ends the issuers of the message and of this instance
 * @returns `undefined` for a format that can't name a person here
 */
export function parseSubject(value: unknown, ends: Ends): SignalSubject | undefined {
  if (!isObject(value)) return undefined;
  const { format, user, session } = value;
  if (format !== "complex" && (format !== undefined || user === undefined)) {
    const person = parsePerson(value, ends);
    return person.length === 0 ? undefined : { person, session: undefined };
  }
  const person = parsePerson(user, ends);
  const id = isObject(session) ? (session["id"] ?? session["sub"]) : undefined;
  const sid = isText(id) ? id : undefined;
  return person.length === 0 && sid === undefined ? undefined : { person, session: sid };
}

function parsePerson(value: unknown, ends: Ends): readonly NamedSubject[] {
  if (!isObject(value)) return [];
  const { iss, sub, email, id, identifiers } = value;
  const format = formatOf(value);
  if ((format === "iss_sub" || format === "id_token_claims") && isText(iss) && isText(sub)) {
    return [iss === ends.here ? { kind: "id", id: sub } : { kind: "account", issuer: iss, subject: sub }];
  }
  if (format === "opaque" && isText(id)) {
    return [
      { kind: "account", issuer: ends.sender, subject: id },
      { kind: "id", id },
    ];
  }
  if (format === "aliases" && Array.isArray(identifiers)) {
    // Aliases contain no aliases (RFC 9493 §3.2.8).
    const single = identifiers
      .slice(0, ALIASES_MAX)
      .filter((one: unknown) => isObject(one) && formatOf(one) !== format);
    return single.flatMap((one: unknown) => parsePerson(one, ends));
  }
  const address = format === "email" ? parseEmailAddress(email) : undefined;
  return address === undefined ? [] : [{ kind: "email", email: address }];
}

/**
 * Returns the format of an identifier. Google and other transmitters that implement drafts before RFC 9493 write `subject_type`,
 * with hyphens.
 */
function formatOf({ format, subject_type: type }: Readonly<Record<string, unknown>>): unknown {
  return format ?? (typeof type === "string" ? type.replaceAll("-", "_") : undefined);
}

/** Describes a subject in the audit, if it is nobody here. */
export function describeSubject({ person: [first], session }: SignalSubject): string {
  if (first === undefined) return `session ${session ?? ""}`.slice(0, TEXT_CHARACTERS_MAX);
  const named =
    first.kind === "account" ? `${first.subject} at ${first.issuer}` : first.kind === "email" ? first.email : first.id;
  return named.slice(0, TEXT_CHARACTERS_MAX);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
