import { env } from "cloudflare:workers";

/**
 * Stops the clock at the first request of a run that counts instructions. In valgrind, requests take fifty times as long, so
 * renewals of the policy, which depend on the clock, would count fifty times as much.
 */
export function stopClock(): void {
  if (!(env as { readonly CLOCK_STANDS?: boolean }).CLOCK_STANDS) return;
  const read = Date.now.bind(Date);
  let since = 0;
  // Reads the real clock as well, so that its cost is included.
  Date.now = () => {
    const now = read();
    return (since ||= now);
  };
}
