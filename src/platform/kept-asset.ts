import type { Bindings } from "./bindings.ts";

type Assets = Bindings["ASSETS"];

/**
 * Returns a reader of one static asset, which changes only with a deployment. It is read at the first call, and then cached.
 *
 * @param path such as `/api-description.json`
 * @returns a function that throws if the asset can't be read, and tries again at the next call
 */
export function keptAsset<Content>(
  path: string,
  read: (response: Response) => Promise<Content>,
): (assets: Assets) => Promise<Content> {
  // Not the promise: it would never settle for others if the request that made it ends early.
  const kept = new WeakMap<Assets, { readonly content: Content }>();
  return async (assets) => {
    const known = kept.get(assets);
    if (known) return known.content;
    const response = await assets.fetch(`https://assets${path}`);
    if (!response.ok) throw new Error(`the asset ${path} answered ${response.status}`);
    const content = await read(response);
    kept.set(assets, { content });
    return content;
  };
}
