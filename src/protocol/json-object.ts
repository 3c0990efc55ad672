/** Checks whether a value is a JSON object. In JavaScript, `null` and arrays are objects too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Removes members that are null or empty strings, which many clients and models send for members that they leave out. */
export function statedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(statedMembers);
  if (!isObject(value)) return value;
  const stated = Object.entries(value).filter(([, member]) => member !== null && member !== "");
  return Object.fromEntries(stated.map(([name, member]) => [name, statedMembers(member)]));
}
