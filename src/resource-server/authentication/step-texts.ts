/** The most characters of a value that are shown: a token may contain anything, of any length. */
const SHOWN_CHARACTERS_MAX = 200;

/** Formats a value of a token for a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return "not there";
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

/** Describes a claim of a token and its value, for the beginning of a sentence or within one. */
export function claim(payload: Readonly<Record<string, unknown>>, name: string, the: "The" | "the" = "the"): string {
  const value = payload[name];
  if (value === undefined) return `${the} token has no claim ${name}`;
  return `${the} claim ${name} is ${shown(value)}`;
}

export function list(values: readonly string[], none = "none at all"): string {
  return values.length === 0 ? none : values.join(", ");
}

/** Describes the times of a JWT, to compare them with the clock. */
export function timesFact({ iat, nbf, exp }: Readonly<Record<string, unknown>>, now: number): string {
  const begin = nbf === undefined ? "" : `, valid from ${moment(nbf)}`;
  return `Issued ${moment(iat)}${begin}, expires ${moment(exp)}; it is ${moment(now)} now.`;
}

function moment(value: unknown): string {
  const isTime = typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 8.64e12;
  return isTime ? `${new Date(value * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC` : shown(value);
}
