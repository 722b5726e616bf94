import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');

function listFiles(folder: string, extension: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => path.posix.join(folder, file));
}

const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const sources = ['.ts', '.tsx'].flatMap((extension) =>
  ['bundles', 'daemon', 'drivers'].flatMap((folder) => listFiles(folder, extension)),
);
const textOf = new Map(
  [...sources, ...['packaging', 'test'].flatMap((folder) => listFiles(folder, '.ts'))].map((file) => [
    file,
    readText(file),
  ]),
);

interface Use {
  /** The name that is imported; `*` for all of them. */
  readonly name: string;
  readonly by: string;
}

/** Every import of a file by another one, by the file that is imported. */
const usesOf = new Map<string, Use[]>();
for (const [by, text] of textOf) {
  for (const [, list = '*', specifier = ''] of text.matchAll(
    /\b(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\*(?:\s+as\s+\w+)?)\s+from\s+'(\.[^']+)'/g,
  )) {
    const names = list.split(',').map((item) => /(?:^|\btype\s+)\s*(\*|\w+)/.exec(item.trim())?.[1] ?? '');
    recordUses(path.posix.join(path.posix.dirname(by), specifier), by, names);
  }
  for (const [, specifier = ''] of text.matchAll(/\bimport\(\s*'(\.[^']+)'/g)) {
    recordUses(path.posix.join(path.posix.dirname(by), specifier), by, ['*']);
  }
}
// A pattern of files that a builder imports.
for (const [by, text] of textOf) {
  for (const [, list = ''] of text.matchAll(/\bimport\.meta\.glob(?:<[^(]*>)?\(([^)]*)\)/g)) {
    const patterns = [...list.matchAll(/'(\.[^']+)'/g)].map(([, pattern = '']) => pattern);
    for (const target of textOf.keys()) {
      const place = path.posix.relative(path.posix.dirname(by), target);
      if (patterns.some((pattern) => path.posix.matchesGlob(`./${place}`, pattern)))
        recordUses(target, by, ['*']);
    }
  }
}
// Examples of the documentation stand in a folder beside the one that they import from.
for (const by of listFiles('docs', '.md')) {
  for (const [, list = '', target = ''] of readText(by).matchAll(
    /\bimport\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'[./]+\/((?:daemon|drivers)\/[^']+)'/g,
  )) {
    recordUses(
      target,
      by,
      list.split(',').map((item) => item.trim()),
    );
  }
}

function recordUses(target: string, by: string, names: readonly string[]): void {
  const uses = names.filter((name) => name !== '').map((name) => ({ name, by }));
  usesOf.set(target, [...(usesOf.get(target) ?? []), ...uses]);
}

interface Export {
  readonly file: string;
  readonly kind: 'value' | 'function' | 'type';
  readonly name: string;
  /** Files that import it. */
  readonly users: readonly string[];
  /** Whether another declaration of the same file uses it. */
  readonly isUsedAtHome: boolean;
  /** Whether another export of its file names it: then it is a part of that export. */
  readonly isPartOfAnother: boolean;
}

const KINDS = { const: 'value', let: 'value', interface: 'type', type: 'type' } as const;

const exported = sources.flatMap((file): readonly Export[] => {
  const text = withoutComments(textOf.get(file) ?? '');
  const declarations = text.split(/^(?=\S)/m).reduce<string[]>((found, piece) => {
    // A declaration ends where the next line begins with a word; closing brackets belong to it.
    if (/^\w/.test(piece) || found.length === 0) found.push(piece);
    else found.push(`${found.pop() ?? ''}${piece}`);
    return found;
  }, []);
  return declarations.flatMap((declaration) => {
    const [, keyword = '', name] =
      /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const|let|function\*?|class|interface|type)\s+(\w+)/.exec(
        declaration,
      ) ?? [];
    if (name === undefined) return [];
    const mention = new RegExp(`\\b${name}\\b`, 'g');
    const others = declarations.filter((other) => other !== declaration && other.match(mention) !== null);
    const uses = (usesOf.get(file) ?? []).filter((use) => use.name === name || use.name === '*');
    return [
      {
        file,
        kind: keyword in KINDS ? KINDS[keyword as keyof typeof KINDS] : 'function',
        name,
        users: uses.map(({ by }) => by),
        isUsedAtHome: others.length > 0,
        isPartOfAnother: others.some((other) => other.startsWith('export ')),
      },
    ];
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*\*?[^]*?\*\/$/gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

/** Modules that the gateway starts, whose exports it calls. */
const BUNDLE_ENTRY = /^bundles\/[^/]+\/main\.ts$/;

const label = ({ file, name }: Export): string => `${file} ${name}`;

test('the exports of the sources are found', () => {
  assert.ok(exported.length > 1000, `${exported.length} exports`);
  assert.ok(exported.some(({ users }) => users.length > 20));
});

// A type that a function takes or returns belongs to that function, also where no other file needs its name.
test('every export is imported by another file, or a type in the signature of another export of its file', () => {
  const dead = exported.filter(
    ({ file, kind, users, isPartOfAnother }) =>
      users.length === 0 && !(kind === 'type' && isPartOfAnother) && !BUNDLE_ENTRY.test(file),
  );
  assert.deepEqual(dead.map(label), []);
});

// Constants are left out: tests compare them with the documentation, or with the values that they measure.
test('every exported function and class is used by more than tests', () => {
  const testOnly = exported.filter(
    ({ file, kind, users, isUsedAtHome }) =>
      !BUNDLE_ENTRY.test(file) &&
      kind === 'function' &&
      !isUsedAtHome &&
      users.length > 0 &&
      users.every((by) => by.startsWith('test/')),
  );
  assert.deepEqual(testOnly.map(label), []);
});
