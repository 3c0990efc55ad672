/** Thrown if an administrator asks for something that cannot be done. The text says what to change; callers respond with a 4xx status. */
export class AdministrationRefused extends Error {
  override readonly name = "AdministrationRefused";
  /** The part of the request that is refused; `undefined` for all of it. */
  readonly member: string | undefined;

  constructor(message: string, member?: string) {
    super(message);
    this.member = member;
  }
}
