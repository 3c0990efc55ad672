/**
 * A cache of other servers' public data: discovery documents, key sets, client metadata documents. Losing it costs a fetch.
 */
export interface PublicCache {
  read<Value>(key: string): Promise<Value | null>;
  write(key: string, value: unknown): Promise<void>;
}
