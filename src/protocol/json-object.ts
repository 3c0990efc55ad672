/** Whether a value is a JSON object: JavaScript calls `null` and lists objects too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is stated: without members that are null or empty texts, which many clients and models write for what they leave out. */
export function statedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(statedMembers);
  if (!isObject(value)) return value;
  const stated = Object.entries(value).filter(([, member]) => member !== null && member !== "");
  return Object.fromEntries(stated.map(([name, member]) => [name, statedMembers(member)]));
}
