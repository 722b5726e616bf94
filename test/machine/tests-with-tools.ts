import { readFileSync } from 'node:fs';
import path from 'node:path';

import { planSuite, ROOT } from '../support/suite-plan.ts';

const TEST = path.resolve(import.meta.dirname, '..');
const TABLE = path.join(TEST, 'support/tools.ts');

/** Lists the files of `npm test` that lead to the table of tools by their imports, below the root of the project. */
export function listTestsWithTools(): readonly string[] {
  const { shared, own } = planSuite('quick');
  return [...shared.flat(), ...own].filter((file) => usesTools(path.join(ROOT, file))).sort();
}

function usesTools(test: string): boolean {
  const seen = new Set([test]);
  // Grows while it is walked through.
  for (const file of seen) for (const imported of listImports(file)) seen.add(imported);
  return seen.has(TABLE);
}

function listImports(file: string): readonly string[] {
  if (file === TABLE) return [];
  return [...readFileSync(file, 'utf8').matchAll(/^(?:import .*|\}) from '(\.[^']+\.ts)'/gm)]
    .map(([, place = '']) => path.resolve(path.dirname(file), place))
    .filter((place) => place.startsWith(`${TEST}/`));
}
