/** Code that eats bytes of others, and what has to hold for every input. */
export interface FuzzTarget {
  readonly name: string;
  /** Inputs that a search begins with, beside those that are kept. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** What a search puts into inputs. */
  readonly words: readonly (string | Uint8Array)[];
  /**
   * Feeds an input to the code.
   *
   * @returns what came of it, the same for the same input
   * @throws whatever is a defect: an error that the code does not document, or a broken promise of it
   */
  run(input: Buffer): string | Promise<string>;
}

/**
 * Returns what comes of an action, in which the documented errors are in order.
 *
 * @param documented classes of the errors that it may throw
 * @throws any other error of the action
 */
export function attempt<T>(
  documented: readonly (abstract new (...given: never[]) => Error)[],
  action: () => T,
): { readonly value: T } | { readonly refusal: string } {
  try {
    return { value: action() };
  } catch (error) {
    const isDocumented = documented.some((one) => error instanceof one);
    if (!isDocumented || !(error instanceof Error) || isOfRuntime(error)) throw error;
    const { code } = error as { readonly code?: unknown };
    return { refusal: typeof code === 'string' ? code : error.constructor.name };
  }
}

// A stack that is too deep and a read outside of a buffer are a RangeError as well.
function isOfRuntime(error: Error): boolean {
  const { code } = error as { readonly code?: unknown };
  return error.message.includes('call stack') || (typeof code === 'string' && code.startsWith('ERR_'));
}

/** Writes what came of an action as text that can be compared. */
export function show(outcome: unknown): string {
  return JSON.stringify(outcome, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
    if (value instanceof Map || value instanceof Set) return [...value] as unknown[];
    return value;
  });
}
