/** The names under which the Worker answers on this computer; each is an origin of its own. */
const HOSTS = ["localhost", "127.0.0.1", "[::1]", "acme.localhost"] as const;

/** Where the single sign-on may send people back to: the Worker's callback under each of its names. */
export function callbackUris({ port, https }: { readonly port: number; readonly https: boolean }): string[] {
  return HOSTS.map((host) => `${https ? "https" : "http"}://${host}:${port}/oauth/callback`);
}
