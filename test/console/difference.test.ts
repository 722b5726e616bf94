import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listDifferences, listThreeWay, mergeThreeWay } from '../../daemon/console/forms/difference.ts';
import { holdsSecret, listSecretNames, mayHoldSecret } from '../../daemon/console/forms/secret.ts';

const BASE = { drivers: [{ pid: 'a', port: 502 }, { pid: 'b' }], rest: { ports: [1, 2] } };

test('differences name items by their pid, and tell new and gone items as a whole', () => {
  const after = { drivers: [{ pid: 'c' }, { pid: 'a', port: 503 }], rest: { ports: [1, 2] } };
  assert.deepEqual(
    listDifferences(BASE, after).map(({ path, before, after: next }) => [path.join('/'), before, next]),
    [
      ['drivers/a/port', 502, 503],
      ['drivers/b', { pid: 'b' }, undefined],
      ['drivers/c', undefined, { pid: 'c' }],
    ],
  );
});

test('a list without names is one value, and the order of items is no difference', () => {
  const after = { drivers: BASE.drivers.toReversed(), rest: { ports: [2, 1] } };
  assert.deepEqual(
    listDifferences(BASE, after).map(({ path }) => path),
    [['rest', 'ports']],
  );
});

test('what others changed and what a draft changed are merged; what both changed is chosen', () => {
  const theirs = { drivers: [{ pid: 'a', port: 504, host: 'x' }, { pid: 'b' }, { pid: 'd' }], rest: {} };
  const yours = { drivers: [{ pid: 'a', port: 503 }, { pid: 'c' }], rest: { ports: [1, 2] } };
  const rows = listThreeWay(BASE, theirs, yours).map(({ path, by }) => `${by} ${path.join('/')}`);
  assert.deepEqual(rows.toSorted(), [
    'BOTH drivers/a/port',
    'THEM drivers/a/host',
    'THEM drivers/d',
    'THEM rest/ports',
    'YOU drivers/b',
    'YOU drivers/c',
  ]);
  const merge = (isTheirs: boolean) => mergeThreeWay(BASE, theirs, yours, () => isTheirs);
  const drivers = (port: number) => [{ pid: 'a', port, host: 'x' }, { pid: 'd' }, { pid: 'c' }];
  assert.deepEqual(merge(false), { drivers: drivers(503), rest: {} });
  assert.deepEqual(merge(true), { drivers: drivers(504), rest: {} });
});

test('a document holds a secret when a key is secret by its name or the schema, and its value is no mark', () => {
  const names = listSecretNames({ anyOf: [{ properties: { pin: { type: 'string', writeOnly: true } } }] });
  assert.ok(holdsSecret({ drivers: [{ password: 'x' }] }, names));
  assert.ok(holdsSecret({ pin: '1234' }, names));
  assert.ok(!holdsSecret({ password: { isSet: true }, rest: { passwordStrength: 'x' } }, names));
});

for (const { text, isPossible } of [
  { text: 'host: 192.0.2.1\nretri', isPossible: false },
  { text: 'user: a\npassword:\n  isSet: true\n', isPossible: false },
  { text: '{\n  "password": {\n    "isSet": true\n  }\n}\n', isPossible: false },
  { text: 'password: [x', isPossible: true },
  { text: 'password:\n  isSet: true\nclientSecret: x', isPossible: true },
  { text: '? passWord\n: x', isPossible: true },
  { text: String.raw`"pass\u0077ord": x`, isPossible: true },
  { text: 'pin: 1234', isPossible: true },
]) {
  test(`an unparsed text ${isPossible ? 'may hold' : 'holds no'} secret: ${JSON.stringify(text)}`, () => {
    assert.equal(mayHoldSecret(text, new Set(['pin'])), isPossible);
  });
}
