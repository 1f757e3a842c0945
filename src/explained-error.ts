/** An error whose message says all there is to say: a command prints it without a stack. */
export class ExplainedError extends Error {}
