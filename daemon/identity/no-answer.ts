/** A provider has not answered within its deadline. */
export class NoAnswer extends Error {
  constructor(deadlineMs: number) {
    super(`no answer within ${Math.round(deadlineMs)} ms`);
  }
}
