/** What the demonstration asks about the sample organisation. The answers to all but the first depend on who asks. */
export const QUESTIONS = [
  "What is our vacation policy?",
  "How do I rotate the signing key?",
  "Who decides about discounts above 20 %?",
] as const;
