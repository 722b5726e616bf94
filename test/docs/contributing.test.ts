import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import { COMMAND_SUBJECTS } from '../../daemon/cli/command-subjects.ts';
import { LIST_SECTIONS, OBJECT_SECTIONS } from '../../daemon/configuration/managed-document.ts';
import { PAGES } from '../../daemon/console/views/pages.ts';
import { gatewaySettingsSchema } from '../../daemon/settings/gateway-settings.ts';
import { restSettingsSchema } from '../../daemon/settings/rest-settings.ts';
import { createDriverFactories } from '../../drivers/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
/** The part of a path that is another one for each example. */
const EXAMPLE = 'NAME';

/** A kind of thing that can be added, and the examples that there are. */
interface Subject {
  /** Of its list in CONTRIBUTING.md. */
  readonly heading: string;
  readonly names: readonly string[];
  /** Matches the text by which a file names one of them. */
  readonly pattern: (name: string) => RegExp;
  /** Begins of the paths of files that are looked at; absent: all. */
  readonly folders?: readonly string[];
  /** A file of the sources that names so many has to be in the list; absent: a file or folder that names all. */
  readonly many?: number;
  /** Places that name as many and stay as they are when one is added, each with the reason. */
  readonly others?: Readonly<Record<string, string>>;
}

/** A line of a list. */
interface Item {
  /** Places that stand before its colon: together they name every example. */
  readonly places: readonly string[];
  /** All paths of the line. */
  readonly paths: readonly string[];
}

/** The texts of what may have to be changed, by file. Other tests than these play examples, or mirror a source. */
const textOf = new Map(
  globSync(
    [
      'README.md',
      '{daemon,docs,drivers,packaging}/**/*.{md,ts,tsx}',
      'test/{,docs/,console/**/,drivers/**/,support/tables/}*.ts',
    ],
    {
      cwd: ROOT,
    },
  )
    .filter((file) => path.join(ROOT, file) !== import.meta.filename)
    .map((file) => [file, withoutComments(readFileSync(path.join(ROOT, file), 'utf8'))]),
);

/** Path templates of the endpoints, by name. */
const endpoints = new Map<string, string>();
for (const file of textOf.keys()) {
  if (!file.startsWith('daemon/interface/')) continue;
  const module = (await import(path.join(ROOT, file))) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(module)) {
    if (!isEndpoint(value)) continue;
    endpoints.set(name, value.path.replaceAll(/:(\w+)/g, '{$1}'));
  }
}

function isEndpoint(value: unknown): value is { readonly path: string } {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

const FORMS: Readonly<Record<string, RegExp>> = {
  boolean: /'boolean'/,
  number: /'number'/,
  bigint: /'bigint'/,
  text: /'string'/,
  bytes: /Uint8Array|'object'/,
};
const SIMULATED = 'protocols that are simulated, which need not be all';

const SUBJECTS: readonly Subject[] = [
  {
    heading: 'Add a driver',
    names: createDriverFactories().map(({ type }) => type),
    pattern: (name) =>
      new RegExp(
        `(?:drivers|\\.)/${name}\\b|['"\`]${name}['"\`]|\\b${name}\\.md|\\b${name.toUpperCase()}_[A-Z]`,
      ),
    others: {
      'daemon/simulator': SIMULATED,
      'daemon/cli/demo/demo-devices.ts': SIMULATED,
      'docs/tutorial/simulator.md': SIMULATED,
      'daemon/cli/import': 'drivers that other products have',
    },
  },
  {
    heading: 'Add an endpoint',
    names: [...endpoints.keys()],
    folders: ['daemon/', 'docs/'],
    pattern: (name) =>
      new RegExp(`\\b${name}\\b|\`${(endpoints.get(name) ?? '').replaceAll(/[{}.]/g, String.raw`\$&`)}\``),
  },
  {
    heading: 'Add a value type',
    names: VALUE_TYPES,
    pattern: (name) => new RegExp(`['"\`]${name}['"\`]|^\\s+(?:return )?${name}:|[{,] ${name}:`, 'm'),
    folders: ['daemon/', 'drivers/', 'docs/'],
    many: 3,
  },
  {
    heading: 'Add a form of values',
    names: Object.keys(FORMS),
    pattern: (name) => FORMS[name] ?? /^$/,
    folders: ['daemon/', 'drivers/'],
    many: Object.keys(FORMS).length,
  },
  ...[gatewaySettingsSchema, restSettingsSchema].map((schema) => ({
    heading: 'Add a setting',
    names: Object.keys(schema.shape),
    pattern: (name: string) => new RegExp(`\\b${name}\\b`),
  })),
  {
    heading: 'Add a section of the configuration',
    names: [...OBJECT_SECTIONS, ...LIST_SECTIONS],
    pattern: (name) => new RegExp(`['"\`]${name}['"\`]|^\\s+(?:readonly )?${name}[?:,]`, 'm'),
  },
  {
    heading: 'Add a CLI command',
    names: Object.keys(COMMAND_SUBJECTS),
    folders: ['daemon/cli/', 'docs/'],
    many: 5,
    pattern: (name) => new RegExp(`^  ${name}[:,]|['"\`]${name}['"\`]|^\\| \`${name}[ \`]`, 'm'),
  },
  {
    heading: 'Add a console page',
    names: PAGES.map(({ name }) => name),
    pattern: (name) => new RegExp(`['"\`]#?/?${name}['"\`/?]|${name}/${name}|^\\| ${name} +\\|`, 'im'),
    others: { 'test/console/support/places.ts': 'a page without a row is looked at as it opens' },
  },
];

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*\*?[^]*?\*\/$/gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function readItems(page: string, heading: string): readonly Item[] {
  const [, section = ''] = new RegExp(`^##+ ${heading}\\n([^]*?)(?=^#|(?![^]))`, 'm').exec(page) ?? [];
  return [...section.matchAll(/^\d+\. ([^]*?)(?=^\d+\. |^\n|(?![^]))/gm)].map(([, line = '']) => {
    const [before = ''] = /^(?:`[^`]+`,?\s)*`[^`]+`(?=:)/.exec(line) ?? [];
    return { places: listPaths(before), paths: listPaths(line) };
  });
}

function listPaths(text: string): readonly string[] {
  return [...text.matchAll(/`((?:daemon|docs|drivers|packaging|test)\/?[^`\s]*|README\.md)`/g)].map(
    ([, name = '']) => name,
  );
}

/** The examples that a file names, or the files of a folder together. */
function countNamed({ names, pattern, folders = [''] }: Subject): ReadonlyMap<string, ReadonlySet<string>> {
  const namedBy = new Map<string, Set<string>>();
  for (const [file, text] of textOf) {
    if (!folders.some((folder) => file.startsWith(folder))) continue;
    const named = names.filter((name) => pattern(name).test(text));
    for (let place = file; named.length > 0 && place !== '.'; place = path.dirname(place)) {
      namedBy.set(place, new Set([...(namedBy.get(place) ?? []), ...named]));
    }
  }
  return namedBy;
}

/** Lists the places that every example has, those in others left out: a folder does not count where one of its files does. */
function listNeeded(subject: Subject): readonly string[] {
  const { names, many } = subject;
  const needed = [...countNamed(subject)].flatMap(([place, named]) => {
    const isSource = /^(?:daemon|drivers)\/.*\.tsx?$/.test(place);
    const isNeeded = named.size === names.length && (many === undefined || textOf.has(place));
    return isNeeded || (isSource && many !== undefined && named.size >= many) ? [place] : [];
  });
  return needed.filter((place) => !needed.some((other) => other.startsWith(`${place}/`)));
}

/** Lists files and folders of which every example has one of its own name. */
function listNamesakes({ names: [first = '', ...others], folders = [''] }: Subject): readonly string[] {
  const places = new Set([...textOf.keys()].flatMap((file) => [file, path.dirname(file)]));
  const word = new RegExp(`(?<![\\w-])${first}(?![\\w])`, 'g');
  return [...places]
    .filter((place) => folders.some((folder) => place.startsWith(folder)))
    .filter((place) => others.every((name) => places.has(place.replaceAll(word, name))))
    .map((place) => place.replaceAll(word, EXAMPLE))
    .filter((place) => place.includes(EXAMPLE));
}

/** Compares a list with the sources. */
function findFaults(subject: Subject, items: readonly Item[]): readonly string[] {
  const { names, many, others = {} } = subject;
  const namedBy = countNamed(subject);
  const listed = items.flatMap(({ paths }) => paths);
  const isListed = (place: string): boolean =>
    listed.some((one) => one === place || one.startsWith(`${place}/${EXAMPLE}`)) || place in others;
  const isNamesakeListed = (place: string): boolean =>
    listed.some((one) => one.startsWith(place) || place.startsWith(`${one}/`));
  const needed = listNeeded(subject);
  const exists = (place: string, name: string): boolean =>
    place.includes(EXAMPLE)
      ? existsSync(path.join(ROOT, place.replaceAll(EXAMPLE, name)))
      : namedBy.get(place)?.has(name) === true;
  return [
    ...needed.filter((place) => !isListed(place)).map((place) => `${place} is missing`),
    ...listNamesakes(subject)
      .filter((place) => !isNamesakeListed(place))
      .map((place) => `${place} is missing`),
    ...Object.keys(others)
      .filter((place) => (namedBy.get(place)?.size ?? 0) < 2)
      .map((place) => `${place} needs no exception`),
    ...items.flatMap(({ places }) =>
      places.length === 0
        ? []
        : names
            .filter((name) => !places.some((place) => exists(place, name)))
            .map((name) => `${places.join(', ')}: ${name} is not there`),
    ),
    ...items.flatMap(({ places, paths }) => [
      ...places
        .filter((place) => !names.some((name) => exists(place, name)))
        .map((place) => `${place} names none`),
      ...paths
        .filter((place) => many !== undefined && !places.includes(place) && !needed.includes(place))
        .map((place) => `${place} names less than ${many}`),
    ]),
  ];
}

for (const subject of SUBJECTS) {
  const { heading, names } = subject;

  test(`"${heading}" in CONTRIBUTING.md lists the places that ${names.length} examples have, and no other`, () => {
    const items = readItems(PAGE, heading);
    assert.ok(names.length > 2);
    assert.ok(items.length > 1);
    assert.deepEqual(findFaults(subject, items), []);
  });
}

test('a list that lacks a place is found, and one with a place too many', () => {
  const subject = SUBJECTS.find(({ heading }) => heading === 'Add a console page');
  assert.ok(subject !== undefined);
  const items = readItems(PAGE, subject.heading);
  for (const item of items) {
    const faults = findFaults(
      subject,
      items.filter((other) => other !== item),
    );
    assert.ok(
      faults.some((fault) => fault.endsWith(' is missing')),
      item.places.join(', '),
    );
  }
  const idle = 'daemon/console/text/fill.ts';
  const faults = findFaults(subject, [...items, { places: [idle], paths: [idle] }]);
  assert.ok(faults.includes(`${idle} names none`));
});
