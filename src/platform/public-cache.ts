/** A cache of public material of others: discovery documents, key sets, client documents. Losing it costs a fetch. */
export interface PublicCache {
  read<Value>(key: string): Promise<Value | null>;
  write(key: string, value: unknown): Promise<void>;
}
