/** A file, a page or a message that becomes one document, or several if it is long. */
export interface Item {
  /** Names it in the source: a path with slashes, or a page's URL. Unique. */
  readonly path: string;
  /** What decides how it is read: the ending of its name, such as `pdf`, in lower case. */
  readonly format: string;
  /** Where people open it, if the source knows. */
  readonly url?: string;
  readonly author?: Author;
  /** Epoch seconds, as is `updatedAt`. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** When the file was written here. Differs between two copies, so it is used only if nothing else tells, and not for the hash. */
  readonly modifiedAt?: number;
  /** Reads it. @throws if it can't be read, or is larger than allowed */
  read(): Promise<Uint8Array>;
}

export interface Author {
  readonly name?: string;
  readonly email?: string;
}

/** Something that is not pushed, and why. */
export interface Skipped {
  readonly path: string;
  readonly reason: string;
  /** Whether it should have been readable. Its documents are kept, and the run is incomplete. */
  readonly isFailure: boolean;
}

/** Where documents come from. */
export interface Source {
  /** The items, one after the other; what is left out is reported. @throws if the source as a whole can't be read */
  items(skip: (skipped: Skipped) => void): AsyncIterable<Item>;
  /** Reads a file beside the content, such as the rules; `undefined`: there is none. */
  beside(name: string): Promise<string | undefined>;
  /**
   * The items are all that there are, so documents of others can be removed. Known once the last item was read. A website with more
   * pages than allowed, or a folder that can't be opened, is not complete.
   */
  isComplete(): boolean;
  /** Calls back after something has changed, until the process ends. */
  watch?(changed: () => void): void;
  /** Removes temporary files. */
  close(): Promise<void>;
}
