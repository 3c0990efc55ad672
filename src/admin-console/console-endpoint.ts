import { afterStepUp, ownForm, signedIn, takesUpload } from "#session/session-middleware.tsx";
import { LiteralFirstRouter } from "#platform/router.ts";
import { asConsolePage } from "#pages/page-middleware.ts";
import { noStore } from "#platform/http.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { routes } from "#platform/routes.ts";
import { HonoBase } from "hono/hono-base";
import { consoleFrame, submittedOnce, withinRole } from "./console-middleware.tsx";
import { CONSOLE_PATHS, steppedUpFormAt } from "./console-paths-endpoint.ts";
import type { ConsoleEnv, ConsoleFormEnv, ConsoleServices } from "./http.ts";
import { testToken, testTokenPage } from "./token-test/endpoint.tsx";

/** Every path of the console, below `/admin`. */
export const adminConsole = new HonoBase<InstanceEnv<ConsoleServices>>({ router: new LiteralFirstRouter() });

adminConsole.use("/settings/logo", takesUpload);
adminConsole.use(asConsolePage, noStore, signedIn, withinRole, ownForm, consoleFrame);
adminConsole.use(afterStepUp(steppedUpFormAt));
adminConsole.use(submittedOnce);

const pages = routes<ConsoleEnv, ConsoleFormEnv>(adminConsole);
for (const [path, { page, form }] of CONSOLE_PATHS) {
  if (page) pages.get(path, page);
  if (form) pages.post(path, form.send);
}
pages.get("/token-test", testTokenPage);
pages.post("/token-test", testToken);
