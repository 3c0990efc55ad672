import { isPortFree } from "./loopback.ts";
import type { StartOptions } from "./options.ts";
import { PlainError } from "./plain-error.ts";

/**
 * Checks the ports before anything is started or changed, so that a port in use costs a second and leaves nothing behind.
 *
 * @throws {PlainError} that names the port and the command to use instead.
 */
export async function requireFreePorts({ port, ssoPort }: StartOptions): Promise<void> {
  if (!(await isPortFree(port))) throw taken(port, "the Worker", "--port");
  if (!(await isPortFree(ssoPort))) throw taken(ssoPort, "the local sign-in", "--sso-port");
}

function taken(port: number, whose: string, option: string): PlainError {
  return new PlainError(
    `Port ${port}, meant for ${whose}, is in use by another program (perhaps another "npm start"). ` +
      `End that one, or choose another port: npm start -- ${option} ${port + 3}`,
  );
}
