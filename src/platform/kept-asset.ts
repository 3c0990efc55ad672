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
  const kept = new WeakMap<Assets, Promise<Content>>();
  return (assets) => {
    const known = kept.get(assets);
    if (known) return known;
    const content = readAsset(assets, path, read);
    kept.set(assets, content);
    content.catch(() => kept.delete(assets));
    return content;
  };
}

async function readAsset<Content>(
  assets: Assets,
  path: string,
  read: (response: Response) => Promise<Content>,
): Promise<Content> {
  const response = await assets.fetch(`https://assets${path}`);
  if (!response.ok) throw new Error(`the asset ${path} answered ${response.status}`);
  return read(response);
}
