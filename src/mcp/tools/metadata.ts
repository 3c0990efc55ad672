import type { toDocumentAnswer } from "#client-api/document-answer.ts";

/**
 * Returns what is known about a document in addition to its text, as one flat list: hosts show it, and models read it, unchanged.
 */
export function toMetadata({ metadata }: Awaited<ReturnType<typeof toDocumentAnswer>>) {
  const { datasource, objectType, createTime, updateTime, author, customData = {} } = metadata;
  const own = Object.entries(customData).map(([key, value]) => [
    key,
    "stringListValue" in value ? value.stringListValue.join(", ") : value.stringValue,
  ]);
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    datasource,
    type: objectType,
    // Even if it is absent: a custom value of this name isn't the document's own.
    created_at: createTime,
    updated_at: updateTime,
    author: author?.name,
  };
}
