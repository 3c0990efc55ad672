/**
 * Reads a body to its end, or to a limit. Whatever length the sender claims, no more than this is ever in memory.
 *
 * @param tooLarge makes the error to throw beyond the limit
 */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  tooLarge: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.byteLength;
    if (length > bytesMax) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(read.value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
