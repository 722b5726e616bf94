import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { DeploymentError } from '../../daemon/software/package/deployment-error.ts';
import { checkEntryNames } from '../../daemon/software/package/archive/entry-name.ts';
import { findHeaderValue } from '../../daemon/software/package/archive/header-value.ts';
import { foldLine, writeSection } from '../../daemon/software/package/manifest-writer.ts';
import { parseManifest } from '../../daemon/software/package/manifest.ts';
import {
  compareVersions,
  findVersion,
  findVersionRange,
  formatVersion,
  isInRange,
} from '../../daemon/software/package/osgi-version.ts';
import type { Version } from '../../daemon/software/package/osgi-version.ts';
import { propertyTest } from './property-test.ts';

const headerName = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,12}$/)
  .filter((name) => !/^name$/i.test(name));
const headerValue = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 90, size: 'max' }),
    fc.string({ unit: 'grapheme', minLength: 60, maxLength: 90, size: 'max' }),
  )
  .map((value) => value.replaceAll(/[\0\r\n]/g, ' '))
  .filter((value) => value.isWellFormed());
const headers = fc
  .uniqueArray(fc.tuple(headerName, headerValue), { maxLength: 4, selector: ([name]) => name.toLowerCase() })
  .map((pairs) => Object.fromEntries(pairs));

propertyTest(
  'a manifest is read back as it was written, with lines of at most 72 bytes, whatever ends them',
  fc.property(
    headers,
    fc.uniqueArray(fc.tuple(headerValue, headers), { maxLength: 3, selector: ([name]) => name }),
    fc.constantFrom('\r\n', '\n', '\r'),
    (main, sections, end) => {
      const all = [
        { 'Manifest-Version': '1.0', ...main },
        ...sections.map(([name, own]) => ({ Name: name, ...own })),
      ];
      const unique = all.filter(
        (section) =>
          new Set(Object.keys(section).map((name) => name.toLowerCase())).size ===
          Object.keys(section).length,
      );
      fc.pre(unique.length === all.length);
      const bytes = Buffer.concat(all.map(writeSection));
      const lines = bytes.toString('latin1').split('\r\n');
      assert.ok(lines.every((line) => line.length <= 72));
      const other = Buffer.from(lines.join(end), 'latin1');
      const lower = (section: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
        new Map(Object.entries(section).map(([name, value]) => [name.toLowerCase(), value]));
      const parsed = parseManifest(other);
      assert.deepEqual([parsed.main, ...parsed.sections.map((section) => section.headers)], all.map(lower));
      assert.deepEqual(
        parsed.sections.map(({ name }) => name),
        sections.map(([name]) => name),
      );
    },
  ),
  3,
);

propertyTest(
  'a folded line holds its bytes in order',
  fc.property(
    fc
      .uint8Array({ minLength: 1, maxLength: 300, size: 'max' })
      .filter((line) => !line.includes(10) && !line.includes(13)),
    (line) => {
      const parts = foldLine(Buffer.from(line)).toString('latin1').split('\r\n').slice(0, -1);
      const joined = parts.map((part, index) => (index === 0 ? part : part.slice(1))).join('');
      assert.equal(joined, Buffer.from(line).toString('latin1'));
      assert.ok(parts.every((part, index) => part.length <= 72 && (index === 0 || part.startsWith(' '))));
    },
  ),
);

propertyTest(
  'any bytes are a manifest or refused with a code',
  fc.property(
    fc.string({
      unit: fc.constantFrom('N', 'a', 'm', 'e', ':', ' ', '\n', '\r', '1', '-', 'é', '\0'),
      maxLength: 40,
    }),
    (text) => {
      try {
        const { main, sections } = parseManifest(Buffer.from(text));
        for (const section of [main, ...sections.map((one) => one.headers)])
          assert.ok(section.size > 0 || section === main);
      } catch (error) {
        assert.ok(error instanceof DeploymentError);
      }
    },
  ),
  5,
);

const part = fc.oneof(
  { arbitrary: fc.nat(1), weight: 9 },
  { arbitrary: fc.constantFrom(9, 10, 2 ** 31 - 1), weight: 1 },
);
const version: fc.Arbitrary<Version> = fc.record(
  {
    major: part,
    minor: part,
    micro: part,
    qualifier: fc.constantFrom('', 'a', 'A', 'B', '-', '9', '10'),
  },
  { noNullPrototype: true },
);

// Parts as digits of the same length, so that the order of texts is that of numbers.
const sortKey = ({ major, minor, micro, qualifier }: Version): string =>
  `${[major, minor, micro].map((one) => String(one).padStart(10, '0')).join('.')}.${qualifier}`;

propertyTest(
  'versions have one order, part by part, and come back from their text',
  fc.property(version, version, version, (a, b, c) => {
    const [keyA, keyB] = [sortKey(a), sortKey(b)];
    assert.equal(Math.sign(compareVersions(a, b)), keyA < keyB ? -1 : keyA > keyB ? 1 : 0);
    assert.equal(Math.sign(compareVersions(a, b)), -Math.sign(compareVersions(b, a)) || 0);
    if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) assert.ok(compareVersions(a, c) <= 0);
    assert.deepEqual(findVersion(formatVersion(a)), a);
  }),
  10,
);

propertyTest(
  'a range holds what lies between its bounds',
  fc.property(
    version,
    version,
    version,
    fc.nat(2),
    fc.constantFrom('[', '('),
    fc.constantFrom(']', ')'),
    (from, to, other, which, open, close) => {
      const one = [other, from, to][which] ?? other;
      const range = findVersionRange(`${open}${formatVersion(from)},${formatVersion(to)}${close}`);
      assert.ok(range !== undefined);
      const low = sortKey(from) < sortKey(one) || (open === '[' && sortKey(from) === sortKey(one));
      const high = sortKey(one) < sortKey(to) || (close === ']' && sortKey(to) === sortKey(one));
      assert.equal(isInRange(one, range), low && high);
      const single = findVersionRange(formatVersion(from));
      assert.ok(single !== undefined);
      assert.equal(isInRange(one, single), sortKey(one) >= sortKey(from));
    },
  ),
  2,
);

const token = fc.stringMatching(/^[A-Za-z0-9._-]{1,8}$/);
const argument = fc.string({ unit: fc.constantFrom('a', '1', ';', ' ', '=', ':', ','), maxLength: 6 });

propertyTest(
  'a header with attributes and directives comes back in its parts',
  fc.property(
    token,
    fc.uniqueArray(fc.tuple(token, fc.boolean(), argument), {
      maxLength: 3,
      selector: ([name, isDirective]) => `${name}${isDirective ? ':' : ''}`,
    }),
    (value, parameters) => {
      const text = [
        value,
        ...parameters.map(([name, isDirective, given]) => `${name}${isDirective ? ':' : ''}="${given}"`),
      ].join(' ; ');
      const found = findHeaderValue(text);
      assert.equal(found?.value, value);
      assert.deepEqual(
        [...(found?.parameters ?? [])],
        parameters.map(([name, isDirective, given]) => [`${name}${isDirective ? ':' : ''}`, given]),
      );
    },
  ),
  2,
);

const entryName = fc
  .array(fc.constantFrom('a', 'A', 'b', '.', '..', '', 'c:', 'd\\e', 'é', '~'), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((segments) => fc.constantFrom(segments.join('/'), `${segments.join('/')}/`));

// The tree that unpacking would make, on a file system that ignores case.
function makesOneTree(names: readonly string[]): boolean {
  const tree = new Map<string, { readonly spelled: string; readonly isFolder: boolean }>();
  const entries = new Set<string>();
  for (const name of names) {
    const isFolder = name.endsWith('/');
    const segments = (isFolder ? name.slice(0, -1) : name).split('/');
    if (segments.some((segment) => !/^[A-Za-z0-9._-]+$/.test(segment) || segment === '.' || segment === '..'))
      return false;
    for (let length = 1; length <= segments.length; length += 1) {
      const spelled = segments.slice(0, length).join('/');
      const place = { spelled, isFolder: isFolder || length < segments.length };
      const known = tree.get(spelled.toLowerCase());
      if (known !== undefined && (known.spelled !== spelled || known.isFolder !== place.isFolder))
        return false;
      tree.set(spelled.toLowerCase(), place);
    }
    const key = segments.join('/').toLowerCase();
    if (entries.has(key)) return false;
    entries.add(key);
  }
  return true;
}

propertyTest(
  'names of entries are taken exactly when they make one tree below the folder on every file system',
  fc.property(fc.array(entryName, { maxLength: 4 }), (names) => {
    let isTaken = true;
    try {
      checkEntryNames(names, 'PORTABLE');
    } catch (error) {
      assert.ok(error instanceof DeploymentError);
      isTaken = false;
    }
    assert.equal(isTaken, makesOneTree(names));
  }),
  10,
);
