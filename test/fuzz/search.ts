import { Random } from '../simulation/world/random.ts';
import { Coverage } from './coverage.ts';
import { readCorpus } from './corpus.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { judge, judgeTwice } from './judge.ts';
import { mutate } from './mutator.ts';
import { Watchdog } from './watchdog.ts';

/** Inputs between two looks at the coverage. */
const BATCH = 128;
const EMPTY = Buffer.alloc(0);

/** What a search did. */
export interface SearchResult {
  readonly runs: number;
  /** Characters of the sources that ran. */
  readonly reached: number;
  /** The shortest inputs that were found for all of that. */
  readonly corpus: readonly Buffer[];
}

/**
 * Looks for inputs that reach more of the sources, for as long as it is told.
 *
 * @throws {FuzzFinding} the first input for which a promise does not hold
 */
export async function search(target: FuzzTarget, seed: string, seconds: number): Promise<SearchResult> {
  const random = new Random(`${seed}/${target.name}`);
  const coverage = new Coverage();
  const watchdog = new Watchdog();
  const words = target.words.map((word) => Buffer.from(word));
  const corpus: Buffer[] = [];
  const run = async (inputs: readonly Buffer[]): Promise<void> => {
    for (const input of inputs) {
      watchdog.note(input);
      await judge(target, input);
    }
  };
  // Halves what reached something new until each input is known that did.
  const keepNew = async (inputs: readonly Buffer[]): Promise<void> => {
    coverage.skip();
    await run(inputs);
    if (coverage.countNew(inputs.length === 1) === 0) return;
    const [first] = inputs;
    if (inputs.length === 1 && first !== undefined) {
      await judgeTwice(target, first);
      corpus.push(first);
      return;
    }
    const half = inputs.length >> 1;
    await keepNew(inputs.slice(0, half));
    await keepNew(inputs.slice(half));
  };
  watchdog.start(target.name);
  coverage.start();
  try {
    const known = [EMPTY, ...target.seeds.map((one) => Buffer.from(one)), ...readCorpus(target)];
    for (const input of known) await keepNew([input]);
    if (corpus.length === 0) corpus.push(EMPTY);
    let runs = known.length;
    for (const endMs = performance.now() + seconds * 1000; performance.now() < endMs; runs += BATCH) {
      await keepNew(Array.from({ length: BATCH }, () => mutate({ random, corpus, words })));
    }
    const reached = coverage.countSeen();
    return { runs, reached, corpus: await chooseShortest(corpus, coverage, run) };
  } finally {
    coverage.stop();
    await watchdog.stop();
  }
}

// From the shortest on, those that add something.
async function chooseShortest(
  corpus: readonly Buffer[],
  coverage: Coverage,
  run: (inputs: readonly Buffer[]) => Promise<void>,
): Promise<readonly Buffer[]> {
  coverage.forget();
  const chosen: Buffer[] = [];
  for (const input of corpus.toSorted((a, b) => a.length - b.length || a.compare(b))) {
    await run([input]);
    if (coverage.countNew(true) > 0) chosen.push(input);
  }
  return chosen;
}
