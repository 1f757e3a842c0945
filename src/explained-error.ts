/** An error whose message tells the reader all that is needed. Commands print it without a stack trace. */
export class ExplainedError extends Error {}
