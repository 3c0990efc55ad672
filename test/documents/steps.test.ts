import { expect, it } from "vitest";
import type { DocumentChange, Principal } from "#documents/engine.ts";
import { partsOf, stepsOfChanges } from "#documents/steps.ts";
import { uploadPage } from "./upload-page.ts";
import { aDocument, DATASOURCE } from "./document.ts";

const people = (count: number) =>
  Array.from(
    { length: count },
    (_, at): Principal => ({ kind: "person", datasource: "", name: `p${at}@acme.example` }),
  );
const intersections = (count: number) =>
  Array.from({ length: count }, (_, at): Principal => {
    const groups = Array.from({ length: 20 }, (_group, nth) => `g${at}-${nth}`);
    return { kind: "intersection", datasource: DATASOURCE, name: JSON.stringify(groups) };
  });

it.each([
  ["few principals", people(3), [10, 2]],
  ["thousands of people", people(8000), Array.from({ length: 12 }, () => 1)],
  ["intersections of thousands of groups", intersections(400), Array.from({ length: 12 }, () => 1)],
])("a step has fewer documents, the more principals these name: with %s", (_what, principals, sizes) => {
  const documents = Array.from({ length: 12 }, (_document, at) => aDocument(String(at), { title: "", principals }));
  const stepSizes = (changes: readonly DocumentChange[]) => stepsOfChanges(changes).map(({ length }) => length);
  expect(stepSizes(documents.map((document) => ({ act: "put", document })))).toEqual(sizes);
  expect(
    stepSizes(documents.map(({ externalId }) => ({ act: "permit", datasource: DATASOURCE, externalId, principals }))),
  ).toEqual(sizes);
  const page = uploadPage({ items: documents.map((document) => ({ kind: "documents", document })) });
  expect(partsOf(page).map(({ items }) => items.length)).toEqual(sizes);
});
