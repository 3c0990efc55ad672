import type { Engine } from "#documents/moving/engines.ts";

/** The binding of the tests' second engine. */
export const SECOND = "postgres:DOCUMENTS_SECOND";

/**
 * Returns an engine for many instances, as an alternative to their objects. It uses objects of the same class under other names.
 */
export function secondEngine(objects: () => DurableObjectNamespace): Engine {
  const calls = {
    get:
      (_target: object, call: string) =>
      (instanceId: number, ...given: unknown[]) => {
        const object = objects().getByName(`second ${instanceId}`) as unknown as Record<string, Call>;
        return object[call]?.(...given);
      },
  };
  return new Proxy({}, calls) as Engine;
}

type Call = (...given: unknown[]) => unknown;
