import { randomInt } from 'node:crypto';

import { findNumberFault, findUnknown, readToolOptions } from '../../packaging/tool-options.ts';
import { writeCorpus } from './corpus.ts';
import { FuzzFinding, shrink } from './judge.ts';
import { search } from './search.ts';
import { TARGETS } from './targets.ts';

const USAGE = `Usage: npm run fuzz -- [OPTION]...

Feeds inputs to the code that eats bytes of others, and looks for such that reach more of it. Ends at the first input for
which a promise does not hold.

  --target NAME  one of: ${TARGETS.map(({ name }) => name).join(', ')}; may be repeated, all unless told
  --seconds N    for all targets together, 60 unless told
  --seed N       for the same inputs again; a new one unless told
  --save         keeps the inputs that reach more of the sources in test/fuzz/corpus
`;

const values = readToolOptions(
  USAGE,
  {
    target: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
  ({ target, seconds, seed = '0' }) => {
    const names = TARGETS.map(({ name }) => name);
    return (
      findNumberFault('--seconds', seconds, 1, 999_999) ??
      findNumberFault('--seed', seed, 0, 999_999_999_999) ??
      findUnknown('--target', target, names)
    );
  },
);

const seed = values.seed ?? String(randomInt(2 ** 32));
const chosen = TARGETS.filter(({ name }) => values.target.length === 0 || values.target.includes(name));
process.stdout.write(`seed ${seed}\n`);
for (const target of chosen) {
  try {
    const { runs, reached, corpus } = await search(target, seed, Number(values.seconds) / chosen.length);
    process.stdout.write(
      `${target.name}: ${runs} inputs, ${corpus.length} kept, ${reached} characters reached\n`,
    );
    if (values.save) writeCorpus(target, corpus);
  } catch (error) {
    if (!(error instanceof FuzzFinding)) throw error;
    const { message, input, cause } = await shrink(target, error);
    process.stderr.write(`${target.name}: ${message}\n`);
    if (cause instanceof Error) process.stderr.write(`${cause.stack}\n`);
    process.stderr.write(
      `input: ${JSON.stringify(input.toString('latin1'))}\nin base64: ${input.toString('base64')}\n`,
    );
    process.stderr.write(
      `again with: npm run fuzz -- --target ${target.name} --seconds ${values.seconds} --seed ${seed}\n`,
    );
    process.exitCode = 1;
    break;
  }
}
