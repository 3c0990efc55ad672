import type { InstanceRecord } from "#instance/instances.ts";
import { search } from "./app-client.ts";
import { draft, Pipeline, searchAnswer } from "./pipeline.ts";
import { issueClientApiToken, travel } from "./world.ts";

/** Documents for groups of a directory, and people who search for them. */
export class DocumentWorld {
  readonly #instance: InstanceRecord;
  readonly #pipeline: Pipeline;

  private constructor(instance: InstanceRecord, pipeline: Pipeline) {
    this.#instance = instance;
    this.#pipeline = pipeline;
  }

  static async of(instance: InstanceRecord): Promise<DocumentWorld> {
    return new DocumentWorld(instance, await Pipeline.of(instance));
  }

  /** Indexes a document for groups, which a search for its word finds. */
  index(word: string, groups: readonly string[]): Promise<void> {
    const permissions = { allowedGroups: groups };
    return this.#pipeline.index(draft(word, { title: word, permissions }));
  }

  personToken(email: string): Promise<string> {
    return issueClientApiToken(this.#instance, email, "SEARCH");
  }

  async sees(token: string, word: string): Promise<boolean> {
    return (await searchAnswer(token, { query: word })).results.length > 0;
  }

  /** Returns the status of a search. */
  async statusOf(token: string): Promise<number> {
    return (await search(token, { query: "anything" })).status;
  }

  /** Waits until isolates no longer cache anything about people. */
  forget(): void {
    travel(11);
  }
}
