import createFetchClient from "openapi-fetch";

export function createClient({ baseUrl, token, fetch }) {
  const client = createFetchClient({ baseUrl, ...(fetch === undefined ? {} : { fetch }) });
  client.use({
    async onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${typeof token === "function" ? await token() : token}`);
      return request;
    },
  });
  return client;
}
