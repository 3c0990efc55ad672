/** Whatever a token says may be long, and may be anything. */
const SHOWN_CHARACTERS_MAX = 200;

/** A value of a token in a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

/** A claim of a token with its value, as the beginning of a sentence or within one. */
export function claim(payload: Readonly<Record<string, unknown>>, name: string, the: "The" | "the" = "the"): string {
  const value = payload[name];
  if (value === undefined) return `${the} token has no claim ${name}`;
  return `${the} claim ${name} is ${shown(value)}`;
}

export function list(values: readonly string[], none = "none"): string {
  return values.length === 0 ? none : values.join(", ");
}

/** What a JWT says of its times, for a comparison with the clock. */
export function timesFact({ iat, nbf, exp }: Readonly<Record<string, unknown>>, now: number): string {
  const begin = nbf === undefined ? "" : `, valid from ${moment(nbf)}`;
  return `Issued ${moment(iat)}${begin}, expires ${moment(exp)}; it is ${moment(now)} now.`;
}

function moment(value: unknown): string {
  const isTime = typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 8.64e12;
  return isTime ? `${new Date(value * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC` : shown(value);
}
