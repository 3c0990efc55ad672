import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { type EngineName, enginesIn, shardsOf } from "#documents/moving/engines.ts";
import { PlainError } from "./plain-error.ts";

/** The files of a certificate and its key. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface StartOptions {
  readonly port: number;
  readonly ssoPort: number;
  readonly https: boolean;
  /** The user's own certificate for https, as PEM files. */
  readonly certificate?: Certificate | undefined;
  /** The origin that people use, if it is not localhost. */
  readonly publicOrigin?: string | undefined;
  /** What the documents are moved to; if absent, they stay where they are. */
  readonly engine?: EngineName | undefined;
  /** A folder whose files are pushed in place of the sample. */
  readonly content?: string | undefined;
  readonly fresh: boolean;
  readonly help: boolean;
}

export const HELP = `Usage: npm start -- [options]

Runs Gatehouse on this computer: the Worker, an organisation "acme" with a sign-in of its own, and documents to search.

  --port <number>      where the Worker answers (8787)
  --sso-port <number>  where the organisation's sign-in answers (8788)
  --https              serve the Worker over https, with a certificate that your browser has to accept once
  --https-cert <file>  with --https: your own certificate (PEM), and
  --https-key <file>   its private key (PEM)
  --url <url>          the https address that people use, such as https://acme.home.example behind your proxy (see docs/deployment.md)
  --shards <number>    split the documents among so many objects (docs/scaling.md)
  --folder <path>      push the files of this folder in place of the sample: to everybody, or as its GATEHOUSE_ACCESS says (docs/push.md)
  --fresh              forget the local database and start with an empty one
  --help               show this text`;

/** @throws {PlainError} for an unknown option or an invalid value. */
export function parseOptions(args: readonly string[]): StartOptions {
  const values = readValues(args);
  const port = parsePort("--port", values.port);
  const ssoPort = parsePort("--sso-port", values["sso-port"]);
  if (port === ssoPort)
    throw new PlainError(`The Worker and the sign-in cannot share port ${port}. Give another --sso-port.`);
  const certificate = certificateOf(values["https-cert"], values["https-key"]);
  if (certificate && !values.https) throw new PlainError("--https-cert and --https-key need --https.");
  const publicOrigin = publicOriginOf(values.url);
  if (publicOrigin !== undefined && !values.https) throw new PlainError("--url needs --https.");
  const { https, folder: content, fresh, help } = values;
  if (content !== undefined && !existsSync(content)) throw new PlainError(`There is no folder ${content}.`);
  return { port, ssoPort, certificate, publicOrigin, https, engine: engineOf(values.shards), content, fresh, help };
}

/** @throws {PlainError} for a number that documents can't be split into */
function engineOf(shards: string | undefined): EngineName | undefined {
  if (shards === undefined) return undefined;
  const engines = enginesIn(null);
  const engine = engines.find((name) => String(shardsOf(name)) === shards);
  if (!engine) throw new PlainError(`--shards takes ${engines.map(shardsOf).join(", ")}, not "${shards}".`);
  return engine;
}

function readValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "8787" },
        "sso-port": { type: "string", default: "8788" },
        https: { type: "boolean", default: false },
        "https-cert": { type: "string" },
        "https-key": { type: "string" },
        url: { type: "string" },
        shards: { type: "string" },
        folder: { type: "string" },
        fresh: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    // Only the first sentence: the rest is advice about the positional arguments of other commands.
    const [sentence] = (error as Error).message.split(". ");
    throw new PlainError(`${sentence}. The options are: npm start -- --help`);
  }
}

function certificateOf(certFile: string | undefined, keyFile: string | undefined): Certificate | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) throw new PlainError("Give both --https-cert and --https-key.");
  for (const file of [certFile, keyFile]) if (!existsSync(file)) throw new PlainError(`There is no file ${file}.`);
  return { certFile, keyFile };
}

/** Reads the public origin. Its host begins with the instance's name, as INSTANCE_HOST does in a deployment. */
function publicOriginOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(url);
  if (parsed?.protocol === "https:" && /^acme[.-]/.test(parsed.hostname)) return parsed.origin;
  throw new PlainError(`--url takes an https address whose host begins with "acme", not "${url}".`);
}

function parsePort(option: string, value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port < 1 || port > 65535) {
    throw new PlainError(`${option} takes a number from 1 to 65535, not "${value}".`);
  }
  return port;
}
