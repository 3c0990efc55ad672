import { send } from "./world.ts";
import type { Pipeline } from "./pipeline.ts";

const BASE = "/api/index/v1";

/** Describes users, groups and memberships of one datasource. Every method throws if the API refuses. */
export class Directory {
  readonly #pipeline: Pipeline;
  readonly datasource: string;

  constructor(pipeline: Pipeline, datasource = "wiki") {
    this.#pipeline = pipeline;
    this.datasource = datasource;
  }

  user(userId: string, email: string, isActive = true): Promise<void> {
    return this.act("indexuser", { user: { userId, email, name: userId, isActive } });
  }

  /** Describes a group, and adds these users and groups to the members that it has. */
  async group(name: string, users: readonly string[] = [], groups: readonly string[] = []): Promise<void> {
    await this.act("indexgroup", { group: { name } });
    for (const memberUserId of users)
      await this.act("indexmembership", { membership: { groupName: name, memberUserId } });
    for (const memberGroupName of groups) {
      await this.act("indexmembership", { membership: { groupName: name, memberGroupName } });
    }
  }

  permissions(id: string, permissions: unknown): Promise<void> {
    return this.act("updatepermissions", { id, permissions });
  }

  async act(call: string, body: object): Promise<void> {
    const response = await this.#pipeline.post(`${BASE}/${call}`, { datasource: this.datasource, ...body });
    if (response.status !== 200) throw new Error(`${call} answered ${response.status}: ${await response.text()}`);
  }

  /** Returns the result of `checkdocumentaccess`. */
  async hasAccess(docId: string, userEmail: string): Promise<boolean> {
    const body = { datasource: this.datasource, objectType: "Document", docId, userEmail };
    const response = await this.#pipeline.post(`${BASE}/checkdocumentaccess`, body);
    return (await response.json<{ hasAccess: boolean }>()).hasAccess;
  }
}

/** Requests documents, and returns the response even if it is an error. */
export function getDocuments(token: string, body: unknown): Promise<Response> {
  return send("/rest/api/v1/getdocuments", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
}
