/** Keeps work running after the response was sent. */
export type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Returns a way to keep work running after the response of whichever request begins it, for services that requests share. It is
 * loaded in advance: work whose request ends before it is handed over is cancelled. A command has no requests, and needs nothing.
 */
export function outlivingRequests(): WaitUntil {
  let ofPlatform: WaitUntil = () => undefined;
  import("cloudflare:workers").then(({ waitUntil }) => (ofPlatform = waitUntil)).catch(() => undefined);
  return (work) => ofPlatform(work);
}
