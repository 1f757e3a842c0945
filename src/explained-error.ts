/** An error whose message explains the cause and what to do. Commands print it without a stack trace. */
export class ExplainedError extends Error {}
