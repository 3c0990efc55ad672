import type { Bindings } from "#platform/bindings.ts";
import { env } from "./isolate.ts";
import { send } from "./world.ts";

/** A search that passes the gate but doesn't reach the index, because it has no words. */
export const WORDLESS = { query: "-" };

/** Another isolate of the Worker on the same storage. Its statements are counted and can be made to fail. */
export class ObservedIsolate {
  readonly #bindings: Bindings;
  /** Statements prepared since the last {@link reset}. */
  statements = 0;
  failing = false;
  /** What every call of the database does instead. */
  databaseAnswer: (() => Promise<never>) | undefined;
  /** Whether every call of an instance's documents fails. */
  documentsFailing = false;
  /** What every call of an instance's documents does instead. */
  documentsAnswer: (() => Promise<never>) | undefined;

  /** @param bindings bindings of this isolate that differ from the others' */
  constructor(bindings: Partial<Bindings> = {}) {
    const database: Pick<D1Database, "prepare" | "batch"> = {
      prepare: (sql) => {
        this.statements += 1;
        const instead = this.#databaseInstead;
        return instead ? statementThat(instead) : env.DB.prepare(sql);
      },
      batch: async (statements) => this.#databaseInstead?.() ?? env.DB.batch(statements),
    };
    const objects: Pick<DurableObjectNamespace, "getByName"> = {
      getByName: (name) =>
        this.documentsAnswer || this.documentsFailing
          ? objectThat(this.documentsAnswer ?? outage)
          : env.DOCUMENTS.getByName(name),
    };
    this.#bindings = {
      ...env,
      ...bindings,
      DB: database as D1Database,
      DOCUMENTS: objects as DurableObjectNamespace,
    };
  }

  get #databaseInstead(): (() => Promise<never>) | undefined {
    return this.databaseAnswer ?? (this.failing ? overload : undefined);
  }

  reset(): void {
    this.statements = 0;
  }

  send(url: string, init: RequestInit = {}): Promise<Response> {
    return send(url, init, this.#bindings);
  }

  search(token: string | undefined, body: unknown = WORDLESS, headers: Record<string, string> = {}): Promise<Response> {
    return this.#post("/rest/api/v1/search", token, body, headers);
  }

  index(token: string, document: unknown): Promise<Response> {
    return this.#post("/rest/api/index/indexdocument", token, { document });
  }

  #post(
    path: string,
    token: string | undefined,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const all = { "Content-Type": "application/json", ...authorization, ...headers };
    return this.send(path, { method: "POST", headers: all, body: JSON.stringify(body) });
  }
}

function statementThat(answers: () => Promise<never>): D1PreparedStatement {
  const statement = { bind: () => statementThat(answers), first: answers, all: answers, run: answers };
  return statement as unknown as D1PreparedStatement;
}

function objectThat(answers: () => Promise<never>): DurableObjectStub {
  return new Proxy({}, { get: () => answers }) as DurableObjectStub;
}

async function outage(): Promise<never> {
  throw new Error("Network connection lost.");
}

/** D1 is not asked again after this error. */
async function overload(): Promise<never> {
  throw new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");
}
