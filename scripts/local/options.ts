import { parseArgs } from "node:util";
import { PlainError } from "./plain-error.ts";

export interface StartOptions {
  readonly port: number;
  readonly ssoPort: number;
  readonly https: boolean;
  readonly fresh: boolean;
  readonly help: boolean;
}

export const HELP = `Usage: npm start -- [options]

Runs Gatehouse on this computer: the Worker, an organisation "acme" with a sign-in of its own, and documents to search.

  --port <number>      where the Worker answers (8787)
  --sso-port <number>  where the organisation's sign-in answers (8788)
  --https              serve the Worker over https, with a certificate that your browser has to accept once
  --fresh              forget the local database and start with an empty one
  --help               show this text`;

/** @throws {PlainError} for an option or a port that does not exist. */
export function parseOptions(args: readonly string[]): StartOptions {
  const values = readValues(args);
  const port = parsePort("--port", values.port);
  const ssoPort = parsePort("--sso-port", values["sso-port"]);
  if (port === ssoPort)
    throw new PlainError(`The Worker and the sign-in cannot share port ${port}. Give another --sso-port.`);
  return { port, ssoPort, https: values.https, fresh: values.fresh, help: values.help };
}

function readValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "8787" },
        "sso-port": { type: "string", default: "8788" },
        https: { type: "boolean", default: false },
        fresh: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    // Only the first sentence: what follows is advice about other commands' positional arguments.
    const [sentence] = (error as Error).message.split(". ");
    throw new PlainError(`${sentence}. The options are: npm start -- --help`);
  }
}

function parsePort(option: string, value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port < 1 || port > 65535) {
    throw new PlainError(`${option} takes a number from 1 to 65535, not "${value}".`);
  }
  return port;
}
