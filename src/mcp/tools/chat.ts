import { toCitations } from "#client-api/chat/chat-answer.ts";
import { parseQuestion } from "#client-api/chat/question.ts";
import { defineTool } from "#mcp/tool.ts";
import * as v from "valibot";
import { QuotingText } from "./document-text.ts";

/** The Client API's chat, for hosts that prefer an answer to results. */
export const chatTool = defineTool({
  name: "chat",
  title: "Ask a question",
  description:
    "Answers a question with passages of the organisation's documents that the signed-in person may see, each with its source: [1] in the text is the first citation. " +
    "Nothing is made up: if nothing is found, it says so.",
  scope: "CHAT",
  input: v.strictObject({
    question: v.pipe(
      v.string(),
      v.regex(/\S/, "ask something"),
      v.maxLength(10_000),
      v.description("The question, as the person asked it"),
    ),
  }),
  async run({ question }, { policy, caller, services }) {
    const asked = parseQuestion({ messages: [{ fragments: [{ text: question }] }] });
    const parts = await services.chat.answer(policy, caller, asked.text);
    const citations = await toCitations(parts, services.authorIds.of(policy.instanceId));
    return {
      answer: new QuotingText(parts.flatMap(({ text, pieces = [text] }) => pieces)),
      citations: citations.map(({ sourceDocument: { id, title, url } }) => ({ id, title, url })),
    };
  },
});
