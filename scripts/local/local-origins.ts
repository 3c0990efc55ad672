/** The names under which the Worker answers on this computer; each is an origin of its own. */
const HOSTS = ["localhost", "127.0.0.1", "[::1]", "acme.localhost"] as const;

/** Where the single sign-on may send people back to: the Worker's callback under each of its names. */
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
