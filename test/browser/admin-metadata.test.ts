import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { DESKTOP } from "../support/node/browser-person.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

function keyRow(page: Page, number: number) {
  return page.getByRole("group", { name: `Key ${number}`, exact: true });
}

describe("groups of metadata in the console", () => {
  it("are made, given a token, changed and deleted, without JavaScript", async () => {
    await using ada = await openConsole("/admin/metadata", { ...DESKTOP, javaScriptEnabled: false });
    const { page } = ada;
    await page.getByRole("link", { name: "Create a group" }).click();
    await page.getByLabel("Name of the group").fill("Review");
    await keyRow(page, 1).getByLabel("Name").fill("status");
    await keyRow(page, 1).getByLabel("Type").selectOption("PICKLIST");
    await page.getByText("More rows").click();
    await keyRow(page, 20).getByLabel("Name").fill("due date");
    await keyRow(page, 20).getByLabel("Exclude from free text").check();
    await page.getByRole("button", { name: "Create the group" }).click();

    await page.getByRole("alert").getByRole("link").click();
    const name = keyRow(page, 20).getByLabel("Name");
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    expect(await keyRow(page, 20).getByLabel("Exclude from free text").isChecked()).toBe(true);
    expect(await keyRow(page, 1).getByLabel("Type").inputValue()).toBe("PICKLIST");
    await name.fill("due");
    await page.getByRole("button", { name: "Create the group" }).click();
    await page.getByRole("status").getByText("created").waitFor();
    await page.getByText("reviewdue:").waitFor();

    await page.getByRole("link", { name: "Create a token for this group" }).click();
    expect(await page.getByLabel("Group", { exact: true }).inputValue()).toBe("Review");
    await page.goBack();

    await page.getByRole("link", { name: "Change the keys" }).click();
    await keyRow(page, 2).getByLabel("Name").fill("");
    await keyRow(page, 3).getByLabel("Name").fill("owner");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("due is removed: no document has").waitFor();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByRole("status").getByText("saved").waitFor();
    expect(await page.getByText("reviewdue:").count()).toBe(0);
    expect(await page.getByText("reviewowner:").count()).toBe(1);

    await page.getByRole("link", { name: "Delete…" }).click();
    await page.getByText("No document has values of it.").waitFor();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete the group" }).click();
    await page.getByRole("status").getByText("deleted").waitFor();
    expect(await page.getByRole("link", { name: "Review" }).count()).toBe(0);
  });

  it("can be used by everybody", async () => {
    await using ada = await openConsole("/admin/metadata/new", ANY_LOOK);
    const { page } = ada;
    const group = "Looks";
    const expectHeadedUsable = async (title: string, heading: string) => {
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await expectUsable(page, `admin-metadata-${title}`);
    };
    await expectHeadedUsable("new", "Create a group");
    await page.getByLabel("Name of the group").fill(group);
    await keyRow(page, 1).getByLabel("Name").fill("status");
    await keyRow(page, 2).getByLabel("Name").fill("retention period");
    await page.getByText("More rows").click();
    await page.getByRole("button", { name: "Create the group" }).click();
    await page.getByRole("alert").waitFor();
    await expectHeadedUsable("refused", "Create a group");
    await keyRow(page, 2).getByLabel("Name").fill("retentionPeriodAndALongNameForAKeyOfFiftyCharacters");
    await page.getByRole("button", { name: "Create the group" }).click();
    await page.getByRole("status").waitFor();
    await expectHeadedUsable("one", group);
    await page.getByRole("link", { name: "Change the keys" }).click();
    await expectHeadedUsable("keys", `Keys of ${group}`);
    await keyRow(page, 1).getByLabel("Name").fill("state");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("status is removed").waitFor();
    await expectHeadedUsable("asked", "Remove this key?");
    await page.getByRole("link", { name: "Save nothing" }).click();
    await page.getByRole("link", { name: "Delete…" }).click();
    await expectHeadedUsable("delete", "Delete this group?");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Custom metadata" }).click();
    await expectHeadedUsable("list", "Custom metadata");
  });
});
