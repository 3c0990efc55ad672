import { ADMIN_API_BASE } from "#admin-api/base.ts";
import { outcome } from "./admin/described.ts";
import { ADMIN_DESCRIPTIONS } from "./admin/operations.ts";
import type { AdminOperation } from "#admin-api/operation.ts";
import { ADMIN_OPERATIONS } from "#admin-api/operations.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { CLIENT_API_OPERATIONS } from "./client-api.ts";
import { INDEXING_BASE } from "#indexing-api/bases.ts";
import { INDEXING_API_OPERATIONS } from "./indexing-api.ts";
import { API_ERROR_CODES } from "#protocol/errors.ts";
import { METADATA_NAME } from "#protocol/metadata-name.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import type { Operation } from "./operation.ts";
import { adminOperationId, describeAdmin, type Described } from "./admin-description.ts";
import { Components, inWords } from "./components.ts";
import { typeName } from "./names.ts";
import { EXAMPLE_AUTH_TYPE_HEADER, EXAMPLE_ORIGIN, EXAMPLE_SERVICE } from "#api-description/placeholders.ts";

/**
 * Errors that any call may return from the middleware and the gates. 404 is also the response of an address without an instance.
 */
const REFUSALS_OF_ALL = [400, 401, 404, 500, 503];

/** Errors of calls with a body. */
const REFUSALS_OF_BODIES = [413, 415];

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "The request is invalid: the message says which part, and why",
  401: "The token is missing, invalid or expired, or does not cover what you requested",
  403: "The token lacks a scope, or tokens of its kind are not enabled here",
  404: "Not found",
  405: "This address does not support the method",
  409: "The request conflicts with what is stored",
  412: "It has changed since it was read: `If-Match` names another `ETag`, or `If-None-Match` was sent and it exists",
  413: "The request is too large",
  415: "The Content-Type is not application/json",
  422: "A value is impossible, such as a date that does not exist",
  429: "Too many requests: wait for `Retry-After` seconds",
  500: "A bug: give the requestId to support",
  503: "The service is unavailable right now: try again shortly",
};

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the APIs as one OpenAPI 3.1 document for a sample instance. The Worker replaces its origin, the service's name and the
 * header derived from it.
 */
export function openApiDocument() {
  const components = new Components();
  const paths = pathsOf(components);
  return {
    openapi: "3.1.0",
    info: {
      title: `${EXAMPLE_SERVICE} APIs`,
      version: "1",
      description:
        "Apps call the Client API on behalf of a signed-in user. Pipelines send documents, permissions and custom metadata to the " +
        "Indexing API. Programs of administrators use the Admin API. New members may be added to responses. The Client API ignores " +
        "unknown members of a request; the Indexing API and the Admin API refuse them, except in a document, where they get a warning.",
    },
    servers: [{ url: EXAMPLE_ORIGIN }],
    tags: [
      { name: "Client API", description: "Search, ask questions and read documents as the signed-in user" },
      { name: "Indexing API", description: "Push documents, and set who may see them" },
      { name: "Admin API", description: "Administer an instance from a program" },
    ],
    paths,
    components: {
      schemas: components.schemas,
      responses: refusalResponses(),
      securitySchemes: securitySchemes(EXAMPLE_ORIGIN),
    },
  };
}

function pathsOf(components: Components): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (route: string, operation: Json) => {
    const [method = "", address = ""] = route.split(" ");
    (paths[address.replaceAll(/:(\w+)/g, "{$1}")] ??= {})[method.toLowerCase()] = operation;
  };
  for (const [route, operation] of Object.entries(CLIENT_API_OPERATIONS)) {
    const scope = ROUTE_SCOPES[route as ClientApiRoute];
    const id = route.slice(route.lastIndexOf("/") + 1);
    add(route, {
      tags: ["Client API"],
      operationId: id,
      ...describe(route, id, operation, [403], components),
      security: [{ oauth: [scope] }, { clientApiToken: [] }, { identityProviderToken: [] }],
    });
  }
  for (const [route, operation] of Object.entries(INDEXING_API_OPERATIONS)) {
    add(route.replace(" ", ` ${INDEXING_BASE}`), {
      tags: ["Indexing API"],
      operationId: operationId(route),
      ...describe(route, operationId(route), operation, [], components),
      security: [{ indexingToken: [] }],
    });
  }
  for (const [route, operation] of Object.entries(ADMIN_OPERATIONS)) {
    const id = adminOperationId(route);
    const refusals = operation.takesBytes ? [403, 413, 429] : [403, 429];
    add(route.replace(" ", ` ${ADMIN_API_BASE}`), {
      tags: ["Admin API"],
      operationId: id,
      ...describeAdmin(route, operation, describe(route, id, described(route, operation), refusals, components)),
      security: [{ adminToken: [] }],
    });
  }
  return paths;
}

/** @throws if the operation has no description */
function described(route: string, operation: AdminOperation): Operation {
  const said = ADMIN_DESCRIPTIONS[route];
  if (!said) throw new Error(`${route} has no entry in ADMIN_DESCRIPTIONS`);
  return { ...operation, answer: outcome, ...(typeof said === "string" ? { summary: said } : said) };
}

/** `PUT /document/:docId/custom-metadata/:groupName` → `putDocumentCustomMetadata`; `POST /indexuser` → `indexuser`. */
function operationId(route: string): string {
  const [method = "", address = ""] = route.split(" ");
  const words = address.split(/[/-]/).filter((word) => word !== "" && !word.startsWith(":"));
  if (words.length === 1) return words.join("");
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function describe(
  route: string,
  id: string,
  operation: Operation,
  refusalsOfGate: readonly number[],
  components: Components,
): Described {
  const { summary, description, request, answer, isStreamed = false, refusals = [] } = operation;
  const parameters = [...route.matchAll(/:(\w+)/g)].map(([, name = ""]) => PARAMETERS[name] ?? parameter(name));
  const statuses = new Set([
    ...REFUSALS_OF_ALL,
    ...refusalsOfGate,
    ...(request ? REFUSALS_OF_BODIES : []),
    ...refusals,
  ]);
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request
      ? { requestBody: { required: true, content: jsonOf(request, "input", `${typeName(id)}Request`, components) } }
      : {}),
    responses: {
      200: {
        description: "Done",
        headers: REQUEST_ID,
        content: { ...jsonOf(answer, "output", `${typeName(id)}Response`, components), ...(isStreamed ? LINES : {}) },
      },
      ...Object.fromEntries([...statuses].map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  };
}

const PARAMETERS: Readonly<Record<string, Json>> = {
  groupName: {
    ...parameter("groupName"),
    description: "The group's name, in any case",
    example: "Review",
    schema: { type: "string", pattern: METADATA_NAME.source },
  },
  docId: {
    ...parameter("docId"),
    description: "`<datasource>:<id>`, percent-encoded; the id alone is enough if only one datasource has it",
    example: "wiki:travel-policy",
  },
};

function parameter(name: string): Json {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

/**
 * Returns a schema as JSON Schema. What this can't express (a check across members, a limit in bytes) is left to the call, which
 * names it when it refuses a request.
 */
function jsonOf(schema: v.GenericSchema, typeMode: "input" | "output", name: string, components: Components): Json {
  const { $schema: _dialect, ...converted } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode,
    errorMode: "ignore",
  });
  return { "application/json": { schema: components.hoist(converted, name) } };
}

/** JSON Schema describes a single value, not a series of them. */
const LINES = {
  "text/plain": {
    schema: { type: "string", description: "One JSON object per line, each like the application/json response" },
  },
};

const REQUEST_ID = {
  "X-Request-Id": { description: "The request's id, also found in the log", schema: { type: "string" } },
};

function refusalResponses(): Json {
  return Object.fromEntries(
    Object.entries(STATUS_WORDS).map(([status, description]) => [
      status,
      { description, headers: headersOf(Number(status)), content: refusalContent(Number(status)) },
    ]),
  );
}

function headersOf(status: number): Json {
  return {
    ...REQUEST_ID,
    ...(status === 401 || status === 403
      ? { "WWW-Authenticate": { description: "The challenge (RFC 6750 §3)", schema: { type: "string" } } }
      : {}),
    ...(status === 429 || status === 503
      ? { "Retry-After": { description: "Seconds to wait", schema: { type: "integer" } } }
      : {}),
    ...(status === 405
      ? { Allow: { description: "The methods that this address supports", schema: { type: "string" } } }
      : {}),
  };
}

function refusalContent(status: number): Json {
  const text = { type: "string" };
  return {
    "application/json": {
      schema: {
        type: "object",
        properties: inWords("Error", {
          error: { ...text, enum: API_ERROR_CODES.get(status) ?? [] },
          message: text,
          field: text,
          requestId: text,
        }),
        required: ["error", "message", "requestId"],
      },
    },
  };
}

function securitySchemes(origin: string): Json {
  const scopeWords: Record<(typeof API_SCOPES)[number], string> = {
    SEARCH: "Search as the person",
    CHAT: "Chat as the person",
    DOCUMENTS: "Read documents as the person",
  };
  return {
    oauth: {
      type: "oauth2",
      description:
        "OAuth 2.1 with PKCE (S256), where an administrator has enabled it; add offline_access for a refresh token",
      flows: {
        authorizationCode: {
          authorizationUrl: origin + ENDPOINTS.authorization,
          tokenUrl: origin + ENDPOINTS.token,
          refreshUrl: origin + ENDPOINTS.token,
          scopes: scopeWords,
        },
      },
    },
    clientApiToken: { type: "http", scheme: "bearer", description: "A token issued by the service to one person" },
    identityProviderToken: {
      type: "http",
      scheme: "bearer",
      description: `An access token of an identity provider that the instance trusts. Also send the header \`${EXAMPLE_AUTH_TYPE_HEADER}: OAUTH\``,
    },
    indexingToken: {
      type: "http",
      scheme: "bearer",
      description:
        "A token issued by the service to a pipeline: `documents:<datasource>` or `custommetadata:<group>`, or either with " +
        "`global_scope`",
    },
    adminToken: {
      type: "http",
      scheme: "bearer",
      description: "A token issued by the service to a program that administers the instance",
    },
  };
}
