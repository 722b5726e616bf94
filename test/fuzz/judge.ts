import type { FuzzTarget } from './fuzz-target.ts';

/** Far more than any input of a few kilobytes needs, on a slow machine as well. */
const TIME_LIMIT_MS = 1000;

/** An input for which a promise of the code does not hold. */
export class FuzzFinding extends Error {
  readonly input: Buffer;

  constructor(message: string, input: Buffer, cause?: unknown) {
    super(message, { cause });
    this.input = input;
  }
}

/**
 * Runs an input and returns what came of it.
 *
 * @throws {FuzzFinding} when the target throws, or takes too long again and again
 */
export async function judge(target: FuzzTarget, input: Buffer): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const sinceMs = performance.now();
    const outcome = await runOnce(target, input);
    const tookMs = performance.now() - sinceMs;
    if (tookMs < TIME_LIMIT_MS) return outcome;
    // The machine may have had something else to do.
    if (tries === 3) throw new FuzzFinding(`${tookMs.toFixed()} ms for ${input.length} bytes`, input);
  }
}

/**
 * Runs an input twice.
 *
 * @throws {FuzzFinding} as `judge`, and when both runs have different outcomes
 */
export async function judgeTwice(target: FuzzTarget, input: Buffer): Promise<void> {
  const outcomes = [await judge(target, input), await judge(target, input)];
  if (outcomes[0] !== outcomes[1]) throw new FuzzFinding('two runs have different outcomes', input);
}

/** Makes an input that fails shorter as long as it fails with the same message. */
export async function shrink(target: FuzzTarget, finding: FuzzFinding): Promise<FuzzFinding> {
  let smallest = finding;
  for (let length = smallest.input.length >> 1; length > 0; length >>= 1) {
    for (let at = 0; at < smallest.input.length;) {
      const { input } = smallest;
      const shorter = Buffer.concat([input.subarray(0, at), input.subarray(at + length)]);
      const found = await judge(target, shorter).then(
        () => undefined,
        (error: unknown) => (error instanceof FuzzFinding ? error : undefined),
      );
      if (found?.message === finding.message) smallest = found;
      else at += length;
    }
  }
  return smallest;
}

async function runOnce(target: FuzzTarget, input: Buffer): Promise<string> {
  try {
    // A copy: the code may keep or change what it is given.
    const outcome = target.run(Buffer.from(input));
    return typeof outcome === 'string' ? outcome : await outcome;
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new FuzzFinding(message, input, error);
  }
}
