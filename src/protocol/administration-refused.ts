/** An administrator asked for something that cannot be done. The text says what to change; callers answer it with 4xx. */
export class AdministrationRefused extends Error {
  override readonly name = "AdministrationRefused";
  /** Which part of what was asked for; where the whole is meant, none. */
  readonly member: string | undefined;

  constructor(message: string, member?: string) {
    super(message);
    this.member = member;
  }
}
