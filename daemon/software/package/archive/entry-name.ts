import { DeploymentError } from '../deployment-error.ts';

const MAXIMUM_NAME_LENGTH = 200;
const PORTABLE = /^[A-Za-z0-9._/-]+$/;
// For archives that are stored and never unpacked, such as those of Java with their `Outer$Inner.class`.
const PRINTABLE = /^[^\\:\p{Cc}\p{Cs}]+$/u;

/** Rule for the names of entries: PORTABLE where they become names of files. */
export type NameRule = 'PORTABLE' | 'PRINTABLE';

/**
 * Checks that on every file system each entry of an archive is one file below the target directory.
 *
 * @param names in any order; a directory ends with `/`
 * @throws {DeploymentError} `NOT_A_JAR` for a name that leads out of the directory or is empty, for two names that some file
 *   system treats as one, and for a name that is both a file and a directory
 */
export function checkEntryNames(names: readonly string[], rule: NameRule): void {
  const kinds = new Map<string, { readonly name: string; readonly isDirectory: boolean }>();
  const declared = new Set<string>();
  for (const name of names) {
    if (!isSafe(name, rule)) throw refuse(`the name ${show(name)} of an entry is not allowed`);
    const isDirectory = name.endsWith('/');
    const own = isDirectory ? name.slice(0, -1) : name;
    const key = rule === 'PORTABLE' ? own.toLowerCase() : own;
    if (declared.has(key)) throw refuse(`the name ${show(name)} of an entry appears twice`);
    declared.add(key);
    for (const part of [...listParents(own), { name: own, isDirectory }]) {
      const partKey = rule === 'PORTABLE' ? part.name.toLowerCase() : part.name;
      const seen = kinds.get(partKey);
      if (seen !== undefined && (seen.name !== part.name || seen.isDirectory !== part.isDirectory)) {
        throw refuse(`the names ${show(seen.name)} and ${show(name)} of entries conflict`);
      }
      kinds.set(partKey, part);
    }
  }
}

function isSafe(name: string, rule: NameRule): boolean {
  if (name.length === 0 || name.length > MAXIMUM_NAME_LENGTH) return false;
  if (!(rule === 'PORTABLE' ? PORTABLE : PRINTABLE).test(name)) return false;
  const segments = (name.endsWith('/') ? name.slice(0, -1) : name).split('/');
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function listParents(name: string): readonly { readonly name: string; readonly isDirectory: true }[] {
  const segments = name.split('/');
  return segments
    .slice(1)
    .map((_, index) => ({ name: segments.slice(0, index + 1).join('/'), isDirectory: true }) as const);
}

function show(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}

function refuse(detail: string): DeploymentError {
  return new DeploymentError('NOT_A_JAR', detail);
}
