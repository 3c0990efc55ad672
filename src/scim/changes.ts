import type { Stored } from "#directories/directory.ts";
import type { DirectoryCall } from "./directory-call.ts";
import { changeGroup, createGroup, removeGroup, replaceGroup } from "./group-provisioning.ts";
import { readGroup, readGroupPatch } from "./group-request.ts";
import { readPatch } from "./patch-request.ts";
import { createUser, patchUser, removeUser, replaceUser } from "./user-provisioning.ts";
import { readResource } from "./user-resource.ts";

type Data = Readonly<Record<string, unknown>>;

export type Change = (call: DirectoryCall, id: string, data: Data) => Promise<Pick<Stored, "id" | "revision"> | void>;

/** What changes a resource, by its type and the method of the request: one of its own, or an operation of a bulk request. */
export const CHANGES = {
  Users: {
    POST: (call, _id, data) => createUser(call, readResource(data)),
    PUT: (call, id, data) => replaceUser(call, id, readResource(data)),
    PATCH: (call, id, data) => patchUser(call, id, readPatch(data)),
    DELETE: removeUser,
  },
  Groups: {
    POST: (call, _id, data) => createGroup(call, readGroup(data)),
    PUT: (call, id, data) => replaceGroup(call, id, readGroup(data)),
    PATCH: (call, id, data) => changeGroup(call, id, readGroupPatch(readPatch(data))),
    DELETE: removeGroup,
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Change>>>>;
