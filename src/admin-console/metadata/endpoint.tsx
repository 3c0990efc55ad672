import { known, t } from "#pages/views/console-frame.ts";
import { countedDocuments } from "#pages/views/count.ts";
import { later, type Question } from "#pages/views/asking-page.tsx";
import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { parseDescription } from "#custom-metadata/schema-request.ts";
import { statusOf, typed } from "#admin-console/form-values.ts";
import { epochSeconds } from "#platform/clock.ts";
import { UNTYPED } from "#pages/views/form.tsx";
import type { FormState } from "#platform/described-members.ts";
import { scopesCovering } from "#protocol/indexing-scope.ts";
import {
  keysThatGo,
  openRows,
  readSchema,
  refusedGroup,
  ROWS,
  storedState,
  TYPE_OPTIONS,
  typeInWords,
} from "./group-form.ts";
import type { FoundGroup, ListedKey } from "#custom-metadata/group-directory.ts";
import { GroupPage, GroupsPage } from "./views/group-pages.tsx";
import { NewGroupPage, SchemaPage } from "./views/schema-pages.tsx";

const TOKENS_SHOWN = 100;

const CLEAN_UP =
  "The values stay in storage until the clean-up, which runs every hour and updates 10,000 documents. Until then, free text still finds documents by their words.";

/** `groups/` is necessary because a group may be called `new`. */
const GROUP = "/metadata/groups/:group";

/** Groups of custom metadata, and their keys. */
export const METADATA_PATHS: ConsolePaths = {
  "/metadata": {
    page: async (c) => {
      const groups = await c.var.services.metadataGroups.list(c.var.instance.policy.instanceId);
      return render(c, <GroupsPage groups={groups} />);
    },
  },
  "/metadata/new": consoleForm({
    page: (c) => showNew(c, UNTYPED),
    act: "metadata.create",
    button: "Create the group",
    about: (_c, field) => field("group")?.trim() ?? "",
    decide: async ({ form, administration }, name) =>
      administration.metadata.create(parseDescription(name, readSchema(form))),
    again: ({ c, form }, _state, _name, error) => showNew(c, refusedGroup(form, error)),
    leadsTo: GROUP,
    at: (_created, name) => pathOf({ name: name.toLowerCase() }),
    says: { created: "Group created. Pipelines can now add its values to documents." },
  }),
  [GROUP]: {
    page: async (c) => {
      const { instance, services } = c.var;
      const group = await requireGroup(c);
      const scopes = scopesCovering("custommetadata", group.name);
      const { instanceId } = instance.policy;
      const tokens = await services.issuedTokens.withScope(instanceId, scopes, TOKENS_SHOWN, epochSeconds());
      return render(c, <GroupPage path={pathOf(group)} group={group} typeInWords={typeInWords} tokens={tokens} />);
    },
  },
  // If keys would be removed, the response is a question that says which, and how many documents have a value of each. To confirm, its
  // form sends the same values again with the names of these keys. If more keys would be removed by then, because some were added
  // meanwhile, the question is asked again.
  "/metadata/groups/:group/schema": consoleForm({
    page: async (c) => {
      const group = await requireGroup(c);
      return showSchema(c, group, storedState(group));
    },
    act: "metadata.replace",
    button: "Remove the keys",
    when: (form) => form.all("dropped").length > 0,
    about: requireGroup,
    async decide({ form, administration, ask }, group) {
      const description = parseDescription(group.display, readSchema(form));
      const going = keysThatGo(group, description.keys);
      if (!agreedTo(form.one("dropped"), going)) {
        const { dropped: _dropped, ...fields } = typed(form);
        return ask(dropKeysQuestion(group, going, fields));
      }
      return administration.metadata.replace(description);
    },
    again: ({ c, form }, _state, group, error) => showSchema(c, group, refusedGroup(form, error)),
    leadsTo: GROUP,
    says: { saved: "Keys saved. The hourly clean-up updates the values of documents." },
  }),
  "/metadata/groups/:group/delete": consoleForm({
    act: "metadata.remove",
    button: "Delete the group",
    about: requireGroup,
    question(_c, { display, documents }) {
      const isUnused = documents.count === 0;
      return {
        title: "Delete this group?",
        lead: `The group ${display}.`,
        words: [
          isUnused
            ? "No document has values of it."
            : `Values on ${countedDocuments(documents)} are no longer shown or available in filters. You can’t undo this: a later group of that name doesn’t get them back.`,
          isUnused ? null : CLEAN_UP,
          "Tokens for this group stay valid and can create the group again. Revoke them to prevent this.",
        ],
      };
    },
    decide: ({ administration }, { name: folded, display }) => administration.metadata.remove({ folded, display }),
    leadsTo: "/metadata",
    says: { deleted: "Group deleted. Its values are no longer shown; the hourly clean-up removes them." },
  }),
};

/** Returns the group in the address. @throws {ApiError} `not_found` if this instance has no such group */
function requireGroup(c: ConsoleContext): Promise<FoundGroup> {
  const { instance, services } = c.var;
  return services.metadataGroups.require(instance.policy.instanceId, c.req.param("group") ?? "");
}

/** @param fields the values of the submitted form, which the confirmation sends again */
function dropKeysQuestion({ display }: FoundGroup, going: readonly ListedKey[], fields: FormState["values"]): Question {
  return {
    title: going.length === 1 ? "Remove this key?" : "Remove these keys?",
    lead: `The group ${display}.`,
    ...(going.length === 1 && { button: "Remove the key" }),
    leave: "Save nothing",
    fields: { ...fields, dropped: going.map(({ name }) => name).join(",") },
    words: [
      ...going.map((key) =>
        later(
          () =>
            t`${<strong>{key.display}</strong>} is removed: ${known(goneWith(key))}. A later key of that name doesn’t get these values.`,
        ),
      ),
      going.every(({ documents }) => documents.count === 0) ? null : CLEAN_UP,
      "Your other changes in the form are saved too.",
    ],
  };
}

function goneWith({ documents }: ListedKey): string {
  if (documents.count === 0 && !documents.isCapped) return "no document has a value of it";
  const isOne = documents.count === 1 && !documents.isCapped;
  return `${countedDocuments(documents)} ${isOne ? "has" : "have"} a value of it, which is no longer shown or available in filters`;
}

function agreedTo(dropped: string | undefined, going: readonly ListedKey[]): boolean {
  const agreed = new Set(dropped?.split(","));
  return going.every(({ name }) => agreed.has(name));
}

function showNew(c: ConsoleContext, state: FormState): Response | Promise<Response> {
  return render(c, <NewGroupPage {...fieldsOf(state)} />, statusOf(state));
}

function showSchema(c: ConsoleContext, group: FoundGroup, state: FormState): Response | Promise<Response> {
  const page = <SchemaPage path={pathOf(group)} group={group} {...fieldsOf(state)} />;
  return render(c, page, statusOf(state));
}

function fieldsOf(state: FormState) {
  return { rows: ROWS, open: openRows(state), types: TYPE_OPTIONS, state };
}

/**
 * Returns the address of a group's page. Names need no escaping. `groups/` is necessary because a group may be called `new`.
 */
function pathOf({ name }: Pick<FoundGroup, "name">): string {
  return `/admin/metadata/groups/${name}`;
}
