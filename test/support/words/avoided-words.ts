/** Counts wordings that the texts avoid, by module. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Occurrences of a wording in a module, or the highest number that is allowed: by module, then by wording. */
export type WordCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** One occurrence of an avoided wording. */
export interface Occurrence {
  readonly module: string;
  readonly wording: string;
  /** `path:line: text of the line`, from the root of the repository. */
  readonly location: string;
}

/** Docstrings that open with a question word instead of the noun or the verb that the declaration stands for. */
export const OPENING = 'docstring opens with a question word';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const ROOTS: readonly string[] = [
  '.ci',
  'CONTRIBUTING.md',
  'README.md',
  'bundles',
  'daemon',
  'docs',
  'drivers',
  'packaging',
  'systemd',
  'test',
];

/** Folders whose parts are modules of their own. */
const QUARTERS: ReadonlySet<string> = new Set([
  'daemon/machine',
  'daemon/plant',
  'daemon/security',
  'daemon/server',
  'daemon/software',
]);

/** Published vectors and found inputs are texts of other authors; these counts name the wordings. */
const EXCLUDED: readonly string[] = [
  'test/fuzz/corpus',
  'test/vectors',
  'test/support/words',
  'test/words.json',
];
const BINARY: ReadonlySet<string> = new Set(['.bin', '.der', '.dp', '.gz', '.jar', '.png', '.woff2', '.zip']);

/**
 * Wordings for which English has a noun, a name of the actor or a plain verb. Each is a pattern between word boundaries, so that an
 * identifier counts only if the word is all of it.
 */
const WORDINGS: readonly string[] = [
  'a good while',
  '(?:is|are|was|were) asked',
  '(?:is|are|was|were) looked at',
  'anew',
  'as far as known',
  'asks',
  'at present',
  '(?:became|becomes|become) of',
  'beside',
  'by (?:itself|themselves)',
  'came of',
  'for ever',
  'for good',
  '(?:gave|give|gives) way',
  'given up',
  'in force',
  'knows',
  '(?:let|lets) in',
  'likewise',
  'looks after',
  'makers?',
  'meanwhile',
  'nobody',
  'of which',
  'of whom',
  'people',
  'shows itself',
  'somebody',
  'stands',
  '(?:stand|stands|stood) still',
  'strangers?',
  'switched (?:off|on)',
  '(?:take|taken|takes|took) back',
  '(?:take|taken|takes|took) over',
  'tells?',
  'told',
  'under way',
  'unless given',
  'waits? for confirmation',
  'whoever',
  'wish(?:es)?',
];

const PATTERNS: ReadonlyMap<string, RegExp> = new Map([
  ...WORDINGS.map((wording): [string, RegExp] => [
    wording.replaceAll('?:', ''),
    // Wordings of several words may be broken over two lines, in a comment with its asterisk.
    new RegExp(
      String.raw`\b${wording.replaceAll(' ', String.raw`(?:\s+|\s*\n\s*(?:\*|\/\/|#|--)?\s*)`)}\b`,
      'giu',
    ),
  ]),
  [OPENING, /\/\*\*[\s*]*(?:How|What|When|Where|Whether|Which|Who|Why)\b/gu],
]);

/** Returns the module of a file: the folder that `test/architecture.test.ts` lists, `docs` for every page, or the first folder. */
export function findModule(file: string): string {
  const [first = '', second = '', third = ''] = file.split('/');
  if (!file.includes('/')) return 'docs';
  if (first !== 'daemon' && first !== 'drivers') return first;
  if (third === '') return first;
  return QUARTERS.has(`${first}/${second}`) ? `${first}/${second}/${third}` : `${first}/${second}`;
}

/** Lists every occurrence of an avoided wording in a text. */
export function findOccurrences(file: string, text: string): readonly Occurrence[] {
  const module = findModule(file);
  return [...PATTERNS].flatMap(([wording, pattern]) =>
    [...text.matchAll(pattern)].map((match) => {
      const line = text.slice(0, match.index).split('\n').length;
      const words = text.split('\n')[line - 1]?.trim() ?? '';
      return { module, wording, location: `${file}:${line}: ${words.slice(0, 160)}` };
    }),
  );
}

/** Lists every occurrence of an avoided wording in the repository. */
export function listOccurrences(): readonly Occurrence[] {
  return listFiles().flatMap((file) => findOccurrences(file, readFileSync(path.join(ROOT, file), 'utf8')));
}

/** Returns how many docstrings a source folder has. */
export function countDocstrings(folder: string): number {
  return listFiles()
    .filter((file) => file.startsWith(`${folder}/`) && /\.tsx?$/.test(file))
    .reduce((sum, file) => sum + readFileSync(path.join(ROOT, file), 'utf8').split('/**').length - 1, 0);
}

/** Counts occurrences by module and wording, both in alphabetical order. */
export function countOccurrences(occurrences: readonly Occurrence[]): WordCounts {
  const counts: Record<string, Record<string, number>> = {};
  for (const { module, wording } of occurrences) {
    const ofModule = (counts[module] ??= {});
    ofModule[wording] = (ofModule[wording] ?? 0) + 1;
  }
  return Object.fromEntries(
    Object.entries(counts)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([module, words]) => [
        module,
        Object.fromEntries(Object.entries(words).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ]),
  );
}

/** Lists the pages of the documentation, README.md included. */
export function listPages(): readonly string[] {
  return listFiles().filter((file) => file === 'README.md' || /^docs\/.*\.md$/.test(file));
}

function listFiles(): readonly string[] {
  return ROOTS.flatMap(listBelow).filter(
    (file) =>
      !EXCLUDED.some((folder) => file === folder || file.startsWith(`${folder}/`)) &&
      file !== 'test/words.test.ts' &&
      !BINARY.has(path.extname(file)),
  );
}

function listBelow(root: string): readonly string[] {
  if (path.extname(root) === '.md') return [root];
  try {
    return readdirSync(path.join(ROOT, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.posix.relative(ROOT, path.posix.join(entry.parentPath, entry.name)))
      .filter((file) => !/(?:^|\/)(?:node_modules|build|__pycache__)\//.test(file));
  } catch (error) {
    // `bundles` exists once the first bundle is in the repository.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
