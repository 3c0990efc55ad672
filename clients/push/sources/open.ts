import { EXIT, Failure } from "../failure.ts";
import type { Options } from "../options.ts";
import type { Source } from "../source.ts";
import { FolderSource } from "./folder.ts";
import { ClonedSource, GitSource, isGitAddress, isRepository } from "./git.ts";
import { WebsiteSource } from "./website.ts";

/** Opens a folder, a website or a git repository. @throws {Failure} if it is none */
export async function openSource(options: Options): Promise<Source> {
  const { source, bytesMax, exclude, pagesMax, delayMilliseconds } = options;
  const { password = "", username = "" } = URL.parse(source) ?? {};
  if (password !== "" || (username !== "" && /^https?:/.test(source))) {
    throw new Failure("Leave the password out of the address: others can see the command line.", EXIT.refused);
  }
  if (isGitAddress(source)) return ClonedSource.open(source, { bytesMax, exclude });
  if (/^https?:\/\//i.test(source)) {
    return WebsiteSource.open(source, { bytesMax, exclude, pagesMax, delayMilliseconds });
  }
  if (await isRepository(source)) return GitSource.open(source, { bytesMax, exclude });
  return FolderSource.open(source, { bytesMax, exclude });
}
