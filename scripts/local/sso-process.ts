import { fileURLToPath } from "node:url";
import { startNode } from "./node-child.ts";
import type { Person } from "./people.ts";

export interface SsoOptions {
  /** Absent or 0: a free port. */
  readonly port?: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** Where its signing key is kept from one start to the next; absent: a key of its own for each. */
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
 * Starts the local single sign-on and waits until it answers.
 *
 * The process ends with this one, whatever happens to this one: it watches the channel between the two. To sign in at
 * its picker without a browser, press the button `sub` of the person: see scripted-browser.ts.
 *
 * @throws when it does not come up; what it says goes to the console.
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

/** @returns nothing when the output ends before the line came. */
async function readyIssuer(lines: AsyncIterable<string>): Promise<string | undefined> {
  for await (const line of lines) {
    const message = JSON.parse(line) as { ready?: boolean; issuer?: string };
    if (message.ready) return message.issuer;
  }
  return undefined;
}
