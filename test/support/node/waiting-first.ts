import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, because they wait for programs that they start one after another. Their size does not show this. The
 * first three of them don't need the running Gatehouse, which takes as long to start.
 */
const WAITING = [
  "scripts/admin.test.ts",
  "scripts/backup.test.ts",
  "scripts/issuer-commands.test.ts",
  "end-to-end/conformance-suite.test.ts",
  "browser/admin-pages.test.ts",
  "documents/sharding/contract.test.ts",
  "documents/sharding/resharding.test.ts",
  "documents/noninterference.test.ts",
  "documents/reference.test.ts",
  "isolation/routes.test.ts",
];

/**
 * Runs the longest files of each project first. Without times from an earlier run, as in CI, vitest begins with the largest
 * files, and a long one at the end would leave the other core idle.
 */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = WAITING.findIndex((path) => moduleId.endsWith(`/test/${path}`));
      return place < 0 ? WAITING.length : place;
    };
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((left, right) => rank(left) - rank(right)),
    );
  }
}
