import type { toDocumentAnswer } from "#client-api/document-answer.ts";

/**
 * Returns what is known about a document in addition to its text, as one flat list: hosts show it, and models read it, unchanged.
 */
export function toMetadata({ metadata }: Awaited<ReturnType<typeof toDocumentAnswer>>): Record<string, string> {
  const { datasource, objectType, createTime, updateTime, author, customData = {} } = metadata;
  const own = Object.entries(customData).map(([key, value]) => [
    key,
    "stringListValue" in value ? value.stringListValue.join(", ") : value.stringValue,
  ]);
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    datasource,
    type: objectType,
    ...(createTime === undefined ? {} : { created_at: createTime }),
    ...(updateTime === undefined ? {} : { updated_at: updateTime }),
    ...(author === undefined ? {} : { author: author.name }),
  };
}
