/** A JSON object, and neither `null` nor a list, of which JavaScript says the same. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
