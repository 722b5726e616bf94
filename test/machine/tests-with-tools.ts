import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TEST = path.resolve(import.meta.dirname, '..');
const TABLE = path.join(TEST, 'support/tools.ts');

/** Lists the test files that lead to the table of tools by their imports, below the root of the project. */
export function listTestsWithTools(): readonly string[] {
  const known = new Map<string, boolean>([[TABLE, true]]);
  const usesTools = (file: string): boolean => {
    const found = known.get(file);
    if (found !== undefined) return found;
    const imported = [...readFileSync(file, 'utf8').matchAll(/^(?:import .*|\}) from '(\.[^']+\.ts)'/gm)]
      .map(([, place = '']) => path.resolve(path.dirname(file), place))
      .filter((place) => place.startsWith(`${TEST}/`));
    const uses = imported.some(usesTools);
    known.set(file, uses);
    return uses;
  };
  return globSync('**/*.test.ts', { cwd: TEST })
    .filter((file) => usesTools(path.join(TEST, file)))
    .map((file) => path.join('test', file))
    .sort();
}
