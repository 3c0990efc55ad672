import type { RequestInstance } from "#instance/request-instance.ts";

export interface ActInstance {
  readonly id: number;
  readonly name: string;
}

/** Returns the instance of a request in the form that acts take. @param c the context of the request */
export function actInstance(c: { readonly var: { readonly instance: RequestInstance } }): ActInstance {
  const { instanceId: id, name } = c.var.instance.policy;
  return { id, name };
}
