import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  compareVersions,
  findVersion,
  findVersionRange,
  formatVersion,
  isInRange,
} from '../../../../daemon/software/package/osgi-version.ts';
import type { Version } from '../../../../daemon/software/package/osgi-version.ts';

function toVersion(text: string): Version {
  const version = findVersion(text);
  assert.ok(version, text);
  return version;
}

test('findVersion fills in missing parts', () => {
  assert.deepEqual(
    ['1', '1.2', ' 1.2.3 ', '1.2.3.a-b_C'].map((text) => formatVersion(toVersion(text))),
    ['1.0.0', '1.2.0', '1.2.3', '1.2.3.a-b_C'],
  );
});

test('findVersion returns undefined for an invalid version', () => {
  for (const text of [
    '',
    '.',
    '1.',
    '1.a',
    '-1',
    '1.2.3.',
    '1.2.3.ä',
    '1.2.3.a.b',
    '1 2',
    `1.2.3.${'a'.repeat(101)}`,
  ]) {
    assert.equal(findVersion(text), undefined, text);
  }
});

test('compareVersions compares numbers as numbers and qualifiers as text', () => {
  const ordered = ['0.9', '1', '1.0.0.A', '1.0.0.a', '1.0.1', '1.2', '1.10', '2', '10'];
  for (const [index, text] of ordered.entries()) {
    for (const [other, text2] of ordered.entries()) {
      const actual = Math.sign(compareVersions(toVersion(text), toVersion(text2)));
      assert.equal(actual, Math.sign(index - other), `${text} ${text2}`);
    }
  }
});

test('isInRange respects inclusive and exclusive bounds', () => {
  const cases: readonly (readonly [range: string, inside: string, outside: string])[] = [
    ['[1.0,2.0)', '1 1.5 1.99.99', '0.9 2 2.0.0.a'],
    ['(1.0,2.0]', '1.0.0.a 1.5 2', '1 2.0.0.a 2.1'],
    ['[1,1]', '1 1.0.0', '1.0.0.a 0.9 1.0.1'],
    ['1.5', '1.5 2 100', '1.4.99'],
    [' [ 1 , 2 ] ', '1 2', '3'],
  ];
  for (const [text, inside, outside] of cases) {
    const range = findVersionRange(text);
    assert.ok(range, text);
    for (const each of inside.split(' '))
      assert.equal(isInRange(toVersion(each), range), true, `${each} ${text}`);
    for (const each of outside.split(' '))
      assert.equal(isInRange(toVersion(each), range), false, `${each} ${text}`);
  }
});

test('findVersionRange returns undefined for an invalid range', () => {
  for (const text of ['', '[1,2', '1,2', '[1;2]', '[1,2,3]', '[,2]', '[a,b]', '{1,2}']) {
    assert.equal(findVersionRange(text), undefined, text);
  }
});

test('findVersion reads parts up to 2147483647 exactly, and none beyond', () => {
  const most = '2147483647.2147483647.2147483647';
  assert.equal(formatVersion(toVersion(most)), most);
  assert.equal(compareVersions(toVersion('2147483646'), toVersion('2147483647')) < 0, true);
  assert.equal(formatVersion(toVersion('0000000007')), '7.0.0');
  for (const large of [
    '2147483648',
    '1.2147483648',
    '1.0.2147483648',
    '4294967296',
    '9999999999',
    '99999999999',
  ]) {
    assert.equal(findVersion(large), undefined, large);
    assert.equal(findVersionRange(`[1,${large}]`), undefined, large);
  }
});
