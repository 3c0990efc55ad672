import { env } from "cloudflare:workers";

/**
 * Stops the clock at the first request of a run that counts instructions: its requests take fifty times as long, so that renewals of the
 * policy, which go by the clock, would weigh fifty times as much.
 */
export function stopClock(): void {
  if (!(env as { readonly CLOCK_STANDS?: boolean }).CLOCK_STANDS) return;
  const read = Date.now.bind(Date);
  let since = 0;
  // Read all the same: that is what it costs.
  Date.now = () => {
    const now = read();
    return (since ||= now);
  };
}
