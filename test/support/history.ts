import { DocumentsObject } from "#index.ts";
import { REWOUND } from "#documents/moving/holding.ts";

/**
 * Lets objects of documents restore their database, which the local runtime can't.
 *
 * @param restore does with the object's database what the platform would. If it throws, the object fails
 */
export function keepHistory(restore: (bookmark: string, shard: number, sql: SqlStorage) => void): void {
  Object.assign(DocumentsObject.prototype, {
    bookmarksAt: (at: number) => Promise.resolve([`at ${at}`]),
    async rewindTo(this: { ctx: DurableObjectState }, bookmark: string, shard: number) {
      restore(bookmark, shard, this.ctx.storage.sql);
      await this.ctx.storage.sync();
      this.ctx.abort(REWOUND);
    },
  });
}
