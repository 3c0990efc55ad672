import { pushFolder, SAMPLE } from "../../scripts/local/push-folder.ts";
import { setupWith } from "../../test/support/node/running-gatehouse.ts";

/** Starts a Gatehouse with the documents that `npm start` has. */
export const setup = setupWith(async (target) => {
  for (const folder of SAMPLE) await pushFolder(folder, target, () => undefined);
});
