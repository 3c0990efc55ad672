import * as fc from "fast-check";
import type { Documents, OfOneInstance } from "#documents/documents.ts";
import type { Principal, Seer } from "#documents/engine.ts";
import type { KeyValues, MetadataGroup } from "#documents/metadata/metadata.ts";
import type { Membership } from "#documents/rights/rights.ts";
import type { PagePart } from "#documents/uploads/uploads.ts";
import { uploadPage } from "../upload-page.ts";
import { aDocument, DATASOURCE } from "../world.ts";

/** A call: its name and its arguments, without the instance. */
export type Request = {
  [Name in keyof Documents]: readonly [name: Name, ...given: Parameters<OfOneInstance<Documents>[Name]>];
}[keyof Documents];

const pick = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item;

const GROUPS = ["board", "sales", "staff"];
const EMAILS = ["ada@acme.example", "ben@acme.example"];
export const SEERS: readonly Seer[] = [
  { email: "ada@acme.example", directoryGroups: ["board", "sales"] },
  { email: "ben@acme.example", directoryGroups: [] },
  { email: "u1", directoryGroups: ["staff"] },
];
const WORDS = ["tide", "almanac", "tides", "harbour"];

function principalsOf(number: number): Principal[] {
  const group = { kind: "group", datasource: DATASOURCE, name: pick(GROUPS, number) } as const;
  const both = {
    kind: "intersection",
    datasource: DATASOURCE,
    name: JSON.stringify([GROUPS[0], pick(GROUPS, number)].toSorted((a, b) => (a! < b! ? -1 : 1))),
  } as const;
  const person = { kind: "person", datasource: "", name: pick(EMAILS, number) } as const;
  const known = { kind: "datasource", datasource: DATASOURCE, name: "" } as const;
  return pick(
    [[group, person], [group], [both], [person, known], [{ kind: "everyone", datasource: "", name: "" }], []],
    number,
  );
}

const documentOf = (number: number) =>
  aDocument(String(number % 7), {
    title: `${pick(WORDS, number)} number ${number % 11}`,
    body: `${pick(WORDS, number >> 1)} ${pick(WORDS, number >> 2)} ${number % 3 === 0 ? "pears and plums ".repeat(90) : "apples"}`,
    objectType: number % 2 === 0 ? "Page" : "Ticket",
    authorName: number % 5 === 0 ? null : "Ada Marlow",
    updatedAt: number % 4 === 0 ? null : number * 86_400,
    tags: number % 2 === 0 ? ["spring"] : [],
    keywords: number % 2 === 0 ? "\nspring" : "",
    url: `https://world.example/${number % 5}`,
    principals: principalsOf(number),
  });

export const nameOf = (number: number) => ({ datasource: DATASOURCE, externalId: String(number % 7) });

const membershipOf = (number: number): Membership => ({
  groupName: pick(GROUPS, number),
  memberKind: number % 3 === 0 ? "group" : "user",
  member: number % 3 === 0 ? pick(GROUPS, number + 1) : pick(["u1", "u2", ...EMAILS], number),
});

function groupOf(number: number): MetadataGroup {
  const id = 1 + Math.floor(number / 50);
  const key = (at: number, display: string, propertyType: "TEXT" | "MULTIPICKLIST") => ({
    id: id * 10 + at,
    name: display.toLowerCase(),
    display,
    facetName: `review${display.toLowerCase()}`,
    propertyType,
    skipIndexing: number % 3 === 0,
  });
  const keys = [key(1, "Note", "TEXT"), ...(number % 2 === 0 ? [key(2, "Labels", "MULTIPICKLIST")] : [])];
  return { id, name: "review", display: "Review", version: 1 + (number % 50), keys };
}

function pageOf(number: number, more: Partial<PagePart>): PagePart {
  const kind = pick(["documents", "users", "groups", "memberships"] as const, number >> 1);
  const items = [number, number + 3].map((at): PagePart["items"][number] => {
    switch (kind) {
      case "documents":
        return { kind, document: documentOf(at) };
      case "users":
        return { kind, user: userOf(at) };
      case "groups":
        return { kind, name: pick(GROUPS, at) };
      case "memberships":
      default:
        return { kind, membership: { ...membershipOf(at), groupName: "board" } };
    }
  });
  return uploadPage({
    kind,
    groupName: kind === "memberships" ? "board" : "",
    uploadId: `upload ${number % 2}`,
    hash: `page ${number % 4}`,
    forceRestart: number % 5 === 0,
    items,
    ...more,
  });
}

const userOf = (number: number) => ({
  userId: `u${number % 3}`,
  email: pick(EMAILS, number),
  name: "Somebody",
  isActive: number % 4 > 0,
});

const referenceOf = (number: number) => ({ ...nameOf(number), ...(number % 3 === 0 ? { datasource: "" } : {}) });

const valuesOf = (number: number): KeyValues[] => [
  {
    name: number % 9 === 0 ? "none" : "note",
    display: "Note",
    isList: number % 8 === 0,
    values: [pick(WORDS, number)],
  },
  { name: "labels", display: "Labels", isList: true, values: number % 2 === 0 ? [] : ["Red", "blue"] },
];

/** Requests of pipelines, each made from a number. */
export const REQUESTS: readonly ((number: number) => Request)[] = [
  (number) => [
    "apply",
    [number, number + 1, number + 2].map((at) => ({ act: "put", document: documentOf(at) }) as const),
  ],
  (number) => [
    "apply",
    [
      { act: "put", document: documentOf(number) },
      { act: "remove", ...nameOf(number + 1) },
    ],
  ],
  (number) => ["apply", [{ act: "permit", ...nameOf(number), principals: principalsOf(number + 1) }]],
  (number) => [
    "changeRights",
    DATASOURCE,
    { act: "describe", described: { kind: "groups", name: pick(GROUPS, number) } },
  ],
  (number) => ["changeRights", DATASOURCE, { act: "describe", described: { kind: "users", user: userOf(number) } }],
  (number) => [
    "changeRights",
    DATASOURCE,
    { act: "describe", described: { kind: "memberships", membership: membershipOf(number) } },
  ],
  (number) => [
    "changeRights",
    DATASOURCE,
    { act: "describe", described: { kind: "memberships", membership: membershipOf(number) } },
  ],
  (number) => ["changeRights", DATASOURCE, { act: "remove member", membership: membershipOf(number) }],
  (number) => ["changeRights", DATASOURCE, { act: "remove user", userId: `u${number % 3}` }],
  (number) => ["changeRights", DATASOURCE, { act: "remove users", email: pick(EMAILS, number) }],
  (number) => ["changeRights", DATASOURCE, { act: "remove group", name: pick(GROUPS, number) }],
  (number) => ["adoptGroup", groupOf(number)],
  (number) => ["forgetGroup", number % 3 === 0 ? "review" : "other", groupOf(number).id - 1],
  (number) => [
    "putValues",
    {
      group: groupOf(98),
      documents: [number, number + 1, number + 2, number + 5].map((at) => ({
        document: referenceOf(at),
        values: valuesOf(at),
      })),
    },
  ],
  (number) => ["takePage", pageOf(number, { isFirst: true })],
  (number) => ["takePage", pageOf(number, {})],
  (number) => ["takePage", pageOf(number, { isLast: true })],
  (number) => ["noteUploadError", pageOf(number, {}), `refused ${number}`],
];

/** In a history, this number stands for a clean-up. */
export const CLEAN_UP = REQUESTS.length;

export const histories = (least: number, most: number) =>
  fc.array(fc.tuple(fc.nat(CLEAN_UP), fc.nat(120)), { minLength: least, maxLength: most });
