import type { DocumentChange, IndexableDocument } from "./engine.ts";
import type { PagePart, UploadItem, UploadPage } from "./uploads/uploads.ts";

/** What one transaction takes: others wait for it, at most 35 ms, as `npm run bench:search` measures. */
const DOCUMENTS_A_STEP = 20;
const NAMES_A_STEP = 300;
const CHARACTERS_A_STEP = 40_000;

/** Changes in steps that the store may take at once; a document that is larger than a step is one. */
export function stepsOfChanges(changes: readonly DocumentChange[]): readonly (readonly DocumentChange[])[] {
  return steps(changes, DOCUMENTS_A_STEP, (change) => (change.act === "put" ? charactersOf(change.document) : 0));
}

/** A page in parts that the store may take at once; an empty page is one. */
export function partsOf(page: UploadPage): PagePart[] {
  const itemsMax = page.kind === "documents" ? DOCUMENTS_A_STEP : NAMES_A_STEP;
  const parts = steps(page.items, itemsMax, (item: UploadItem) =>
    item.kind === "documents" ? charactersOf(item.document) : 0,
  );
  return (parts.length === 0 ? [[]] : parts).map((items, at) => ({
    ...page,
    items,
    isFirstPart: at === 0,
    isLastPart: at >= parts.length - 1,
  }));
}

function charactersOf({ title, body, keywords, summary }: IndexableDocument): number {
  return title.length + body.length + keywords.length + (summary?.length ?? 0);
}

function steps<Item>(items: readonly Item[], itemsMax: number, weightOf: (item: Item) => number): Item[][] {
  const all: Item[][] = [];
  let current: Item[] = [];
  let weight = 0;
  for (const item of items) {
    const more = weightOf(item);
    if (current.length === itemsMax || (current.length > 0 && weight + more > CHARACTERS_A_STEP)) {
      all.push(current);
      current = [];
      weight = 0;
    }
    current.push(item);
    weight += more;
  }
  return current.length === 0 ? all : [...all, current];
}
