/** The part of an answer of the Chrome DevTools Protocol that is used here. */
interface Heap {
  readonly usedSize: number;
  /** The bytes of buffers, which are outside the heap. */
  readonly backingStorageSize?: number;
}

/** Returns the bytes that a Worker's isolate keeps after a collection of garbage, by workerd's inspector. */
export async function keptBytes(inspector: URL, worker: string): Promise<number> {
  const listed = await fetch(new URL("/json", inspector.href.replace(/^ws/, "http")));
  const targets = (await listed.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find(({ id }) => id === worker || id === `core:user:${worker}`);
  if (!target) throw new Error(`the inspector knows ${targets.map(({ id }) => id).join(", ")}, not ${worker}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl.replace("localhost", inspector.hostname));
  try {
    await once(socket, "open");
    // Only a snapshot is sure to collect all garbage first. What it contains is not needed.
    socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.takeHeapSnapshot", params: { reportProgress: false } }));
    return await usedBytes(socket, 2);
  } finally {
    socket.close();
  }
}

async function usedBytes(socket: WebSocket, id: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<Heap>();
  socket.addEventListener("message", ({ data }) => {
    const text = String(data);
    if (!text.startsWith('{"id":')) return;
    const answer = JSON.parse(text) as { id: number; result?: Heap };
    if (answer.id === id && answer.result) resolve(answer.result);
  });
  socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
  const { usedSize, backingStorageSize = 0 } = await promise;
  return usedSize + backingStorageSize;
}

async function once(socket: WebSocket, event: "open"): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener(event, () => resolve(), { once: true });
  socket.addEventListener("error", () => reject(new Error("the inspector can't be reached")), { once: true });
  await promise;
}
