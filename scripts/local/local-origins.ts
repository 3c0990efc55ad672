/** The host names of the Worker on this computer. Each is a different origin. */
const HOSTS = ["localhost", "127.0.0.1", "[::1]", "acme.localhost"] as const;

/** Returns where the SSO may send people back to: the Worker's callback under each of its names. */
export function callbackUris(options: {
  readonly port: number;
  readonly https: boolean;
  readonly publicOrigin?: string | undefined;
}): string[] {
  const { port, https, publicOrigin } = options;
  const origins = HOSTS.map((host) => `${https ? "https" : "http"}://${host}:${port}`);
  return [...origins, ...(publicOrigin === undefined ? [] : [publicOrigin])].map(
    (origin) => `${origin}/oauth/callback`,
  );
}
