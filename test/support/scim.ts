import type { InstanceRecord } from "#instance/instances.ts";
import { issueToken } from "./service-tokens.ts";
import { ORIGIN, send } from "./world.ts";

const SCIM = "application/scim+json";

/** A response of SCIM. */
export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A directory that provisions an instance with its token. */
export class DirectoryClient {
  readonly token: string;
  readonly #origin: string;

  constructor(token: string, origin = ORIGIN) {
    this.token = token;
    this.#origin = origin;
  }

  static async of(instance: InstanceRecord, name = "okta", origin = ORIGIN): Promise<DirectoryClient> {
    const draft = { kind: "scim" as const, name, scopes: [`directory:${name}`] };
    return new DirectoryClient((await issueToken(instance, draft)).secret, origin);
  }

  /** Sends a request. @param path below `/scim/v2` */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ScimAnswer> {
    const response = await send(`${this.#origin}/scim/v2${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, Accept: SCIM, "Content-Type": SCIM, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (text !== "" && !response.headers.get("content-type")?.startsWith(SCIM)) {
      throw new Error(`${method} ${path} answered ${response.status} as ${response.headers.get("content-type")}`);
    }
    const parsed = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    return { status: response.status, headers: response.headers, body: parsed };
  }

  /** Sends a request that has to succeed. @throws unless it does */
  async done(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.send(method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  /** Returns the resources that a filter finds. */
  async find(type: "Users" | "Groups", filter: string): Promise<Record<string, unknown>[]> {
    const found = await this.done("GET", `/${type}?filter=${encodeURIComponent(filter)}&startIndex=1&count=100`);
    return found["Resources"] as Record<string, unknown>[];
  }

  /** Creates a user with an email, and returns its id. */
  async addUser(email: string, changes: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const user = { schemas: [USER], userName: email, active: true, ...changes };
    return String((await this.done("POST", "/Users", user))["id"]);
  }

  /** Creates a group, and returns its id. */
  async addGroup(displayName: string, ...members: string[]): Promise<string> {
    const group = { schemas: [GROUP], displayName, members: members.map((value) => ({ value })) };
    return String((await this.done("POST", "/Groups", group))["id"]);
  }

  patch(path: string, ...operations: unknown[]): Promise<ScimAnswer> {
    return this.send("PATCH", path, { schemas: [PATCH], Operations: operations });
  }
}

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
