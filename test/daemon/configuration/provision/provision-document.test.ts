import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { formatPath } from '../../../../daemon/base/schema.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import {
  checkProvisionDocument,
  digestSource,
} from '../../../../daemon/configuration/provision/provision-document.ts';

const checkDocument = (value: unknown) => finish(checkProvisionDocument(value));
const digest = (value: unknown): string => finish(digestSource(value));
const pathsOf = (value: unknown): readonly string[] =>
  checkDocument(value).faults.map(({ path }) => formatPath(path));

test('an identity without password proves itself by certificate only and keeps its permissions', () => {
  const identities = [{ name: 'historian' }, { name: 'scada', permissions: ['rest.assets'], password: null }];
  const flags = { passwordChangeNeeded: false, secondFactorRequired: false };
  assert.deepEqual(checkDocument({ identities }).document?.identities, [
    { name: 'historian', permissions: [], ...flags },
    { name: 'scada', permissions: ['rest.assets'], password: undefined, ...flags },
  ]);
});

test('sections without content count as absent', () => {
  const { document, faults } = checkDocument({ rest: null, drivers: null, identities: null });
  assert.deepEqual({ document, faults }, { document: { identities: [] }, faults: [] });
});

test('errors of the outline are listed at once', () => {
  assert.deepEqual(
    pathsOf({
      rest: [],
      banners: 1,
      drivers: { line1: {} },
      assets: [{}, { pid: 'a' }, 'b'],
      identitys: [],
    }),
    ['rest', 'banners', 'drivers', 'assets[0].pid', 'assets[2]', 'identitys'],
  );
  assert.deepEqual(pathsOf({ drivers: [{ pid: 'a' }, { pid: 'a' }] }), ['drivers[1].pid']);
  assert.deepEqual(pathsOf('text'), ['(document)']);
});

test('errors of identities are listed by key name and leave the rest of the document usable', () => {
  const { document, faults } = checkDocument({
    rest: { allowedPorts: [443] },
    identities: [
      {
        name: 'ab',
        permissions: ['rest.assets', 'admin'],
        password: 5,
        passwordChangeNeeded: 'no',
        secondFactorRequired: 1,
        role: 1,
      },
      {},
    ],
  });
  assert.deepEqual(document?.rest, { allowedPorts: [443] });
  assert.deepEqual(document?.identities, []);
  assert.deepEqual(
    faults.map(({ path }) => formatPath(path)),
    [
      'identities[0].name',
      'identities[0].permissions[1]',
      'identities[0].password',
      'identities[0].passwordChangeNeeded',
      'identities[0].secondFactorRequired',
      'identities[0].role',
      'identities[1].name',
    ],
  );
});

test('the grants of an identity are kept as they stand, and their errors are named by their place', () => {
  const good = {
    assets: ['line1-*'],
    channels: ['flow'],
    operations: ['READ'],
    until: '2001-01-01T00:00:00Z',
  };
  const { document, faults } = checkDocument({ identities: [{ name: 'scada', grants: [good] }] });
  assert.deepEqual([document?.identities[0]?.grants, faults], [[good], []]);
  const bad = { asset: ['line1'], assets: ['line 1'], operations: ['CONTROL'], until: 'six' };
  assert.deepEqual(pathsOf({ identities: [{ name: 'scada', grants: [good, bad] }] }), [
    'identities[0].grants[1].assets[0]',
    'identities[0].grants[1].operations[0]',
    'identities[0].grants[1].until',
    'identities[0].grants[1].asset',
  ]);
});

test('two identities with the same name are refused', () => {
  assert.deepEqual(pathsOf({ identities: [{ name: 'scada' }, { name: 'scada' }] }), ['identities[1].name']);
});

test('the digest changes with any content except the text of an identity password', () => {
  const identities = (password?: string) => ({ identities: [{ name: 'scada', password }] });
  assert.equal(digest(identities('one')), digest(identities('two')));
  assert.notEqual(digest(identities('one')), digest(identities()));
  assert.notEqual(
    digest({ drivers: [{ pid: 'a', password: 'one' }] }),
    digest({ drivers: [{ pid: 'a', password: 'two' }] }),
  );
  assert.match(digest({}), /^[0-9a-f]{64}$/);
});

test('the digest of a large source is made in steps, and is that of its text', () => {
  const assets = Array.from({ length: 50 }, (_, index) => ({ pid: `a${index}`, channels: [{ name: 'x' }] }));
  assert.ok([...digestSource({ assets })].length >= 50);
  assert.equal(digest({ assets }), createHash('sha256').update(JSON.stringify({ assets })).digest('hex'));
});

test('the check of many identities can be interrupted after each of them', () => {
  const identities = Array.from({ length: 50 }, (_, index) => ({ name: `person${index}` }));
  const work = checkProvisionDocument({ identities });
  let interruptions = 0;
  while (work.next().done !== true) interruptions += 1;
  assert.ok(interruptions >= identities.length, `interrupted ${interruptions} times`);
});

test('a name that two identities have is an error of the second, with its code', () => {
  const { faults } = checkDocument({ identities: [{ name: 'scada' }, { name: 'plant' }, { name: 'scada' }] });
  assert.deepEqual(
    faults.map(({ path, reasons }) => [formatPath(path), reasons?.map(({ code }) => code)]),
    [['identities[2].name', ['USED_TWICE']]],
  );
});
