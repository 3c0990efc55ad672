import { fileURLToPath } from "node:url";
import { startNode } from "./node-child.ts";
import type { Person } from "./people.ts";

export interface SsoOptions {
  /** Absent or 0: a free port. */
  readonly port?: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** The file that keeps its signing key from one start to the next; absent: a new key for each start. */
  readonly keyFile?: string;
  /** Absent: the people of people.ts. */
  readonly people?: readonly Person[];
}

export interface SsoProcess {
  readonly name: string;
  readonly issuer: string;
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the local SSO and waits until it is ready.
 *
 * The process ends with this one, however this one ends, because it watches the channel between them. To sign in at its picker
 * without a browser, press the person's `sub` button: see scripted-browser.ts.
 *
 * @throws if it does not start; its messages go to the console.
 */
export async function startSso(options: SsoOptions): Promise<SsoProcess> {
  const script = fileURLToPath(new URL("./sso.ts", import.meta.url));
  const args = [script, "--port", String(options.port ?? 0), "--client-id", options.clientId];
  for (const redirectUri of options.redirectUris) args.push("--redirect-uri", redirectUri);
  if (options.keyFile !== undefined) args.push("--key-file", options.keyFile);
  if (options.people !== undefined) args.push("--people", JSON.stringify(options.people));

  const child = startNode(args, { SSO_CLIENT_SECRET: options.clientSecret });
  child.complaints.on("line", (line) => console.error(line));
  const issuer = await readyIssuer(child.output);
  if (issuer === undefined) throw new Error("The local single sign-on did not start; it says why above.");
  return { name: "The local sign-in", issuer, ended: child.ended, stop: () => child.stop() };
}

/** @returns nothing if the output ends before that line. */
async function readyIssuer(lines: AsyncIterable<string>): Promise<string | undefined> {
  for await (const line of lines) {
    const message = JSON.parse(line) as { ready?: boolean; issuer?: string };
    if (message.ready) return message.issuer;
  }
  return undefined;
}
