import type { D1PeopleStandings } from "#people/person.d1.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { Caller } from "#resource-server/authentication/caller.ts";
import type { AuthorIds } from "#client-api/document-answer.ts";
import type { Chat } from "#client-api/chat/chat.ts";
import type { GetDocuments } from "#client-api/documents/get-documents.ts";
import type { Search } from "#client-api/search/search.ts";
import type { Scope } from "#protocol/scopes.ts";
import type * as v from "valibot";
import type { Json } from "./message.ts";

/** The services that tools use. */
export interface ToolServices {
  readonly search: Pick<Search, "search">;
  readonly getDocuments: Pick<GetDocuments, "get">;
  readonly chat: Pick<Chat, "answer">;
  readonly authorIds: AuthorIds;
  readonly people: Pick<D1PeopleStandings, "profileOf">;
}

/** The call of a tool: its caller, and the services that the tool uses. */
export interface ToolContext {
  readonly policy: PolicySnapshot;
  readonly caller: Caller;
  readonly requestId: string;
  /** Counts a call. @throws {ApiError} `too_many_requests` if the person has made too many with this app */
  readonly requireWithinRate: () => Promise<void>;
  readonly services: ToolServices;
  /** Returns all tools as in `tools/list`, as `npm run describe` wrote them. */
  readonly describeTools: () => Promise<readonly Json[]>;
}

type Schema = v.GenericSchema<unknown, unknown>;

/** A tool: its description for hosts, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope that a token needs; `null` for any token that passes the gate. */
  readonly scope: Scope | null;
  readonly input: Schema;
  readonly meta?: Json;
  /**
   * @param input the arguments as the schema parsed them
   * @throws {ApiError} with a description that tells a model what to do instead
   */
  run(input: unknown, context: ToolContext): Promise<Json>;
}

/** Defines a tool whose `run` has the type of its schema's arguments. */
export function defineTool<Input extends Schema>(
  tool: Omit<Tool, "input" | "run"> & {
    readonly input: Input;
    run(input: v.InferOutput<Input>, context: ToolContext): Promise<Json>;
  },
): Tool {
  return tool;
}
