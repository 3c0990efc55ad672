import { crc32 } from "node:zlib";

const SIGNATURE_BYTES = 8;

/** Bytes of the length, type and checksum around the data of a chunk. */
const AROUND_DATA_BYTES = 12;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/**
 * Joins pictures of the same size and format into one that shows them in turn, endlessly (PNG, third edition, §11.3.6).
 *
 * @param secondsEach how long each is shown
 */
export function animatedPng(pictures: readonly Buffer[], secondsEach: number): Buffer {
  const frames = pictures.map(chunksOf);
  const [first] = frames;
  const header = first?.find(({ type }) => type === "IHDR")?.data;
  if (first === undefined || header === undefined) throw new Error("There is no picture");
  const signature = pictures[0]?.subarray(0, SIGNATURE_BYTES) ?? Buffer.alloc(0);
  // The number of frames, and of rounds: 0 is endless.
  const parts = [signature, written("IHDR", header), written("acTL", integers(frames.length, 0))];
  let sequence = 0;
  for (const [at, chunks] of frames.entries()) {
    if (!chunks.some(({ type, data }) => type === "IHDR" && data.equals(header)))
      throw new Error("The pictures differ in size or format");
    // Size and place are those of the first picture. The last four bytes are the denominator of the delay, and how to dispose and
    // blend.
    const delay = Buffer.from([0, secondsEach, 0, 1, 0, 0]);
    parts.push(written("fcTL", Buffer.concat([integers(sequence++), header.subarray(0, 8), integers(0, 0), delay])));
    for (const { data } of chunks.filter(({ type }) => type === "IDAT")) {
      parts.push(at === 0 ? written("IDAT", data) : written("fdAT", Buffer.concat([integers(sequence++), data])));
    }
  }
  return Buffer.concat([...parts, written("IEND", Buffer.alloc(0))]);
}

function chunksOf(picture: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let from = SIGNATURE_BYTES;
  while (from < picture.length) {
    const length = picture.readUInt32BE(from);
    const data = picture.subarray(from + 8, from + 8 + length);
    chunks.push({ type: picture.toString("latin1", from + 4, from + 8), data });
    from += length + AROUND_DATA_BYTES;
  }
  return chunks;
}

function written(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([integers(data.length), typed, integers(crc32(typed))]);
}

function integers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}
