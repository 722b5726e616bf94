import assert from 'node:assert/strict';
import { test } from 'node:test';

import { UsageError } from '../../../../daemon/cli/command-error.ts';
import { formatGrants, parseGrant, readOperation } from '../../../../daemon/cli/identity/grant-text.ts';

test('a grant on the command line names operations, assets, channels and its end', () => {
  assert.deepEqual(parseGrant('READ:line1-*'), { assets: ['line1-*'], operations: ['READ'] });
  assert.deepEqual(parseGrant('read,Write:a,b/c1,c2*'), {
    assets: ['a', 'b'],
    channels: ['c1', 'c2*'],
    operations: ['READ', 'WRITE'],
  });
  assert.deepEqual(parseGrant('READ:boiler/set:point@3@2026-12-01T18:00:00+01:00'), {
    assets: ['boiler'],
    channels: ['set:point@3'],
    operations: ['READ'],
    until: '2026-12-01T18:00:00+01:00',
  });
  assert.deepEqual(parseGrant('READ:boiler@7@2026-12-01T18:00:00Z'), {
    assets: ['boiler@7'],
    operations: ['READ'],
    until: '2026-12-01T18:00:00Z',
  });
});

test('a grant without operations or assets, and one with two slashes, is refused', () => {
  for (const text of [
    '',
    'READ',
    'READ:',
    ':boiler',
    'READ:/flow',
    'READ:boiler/',
    'READ:a/b/c',
    'boiler/flow',
  ]) {
    assert.throws(() => parseGrant(text), UsageError, text);
  }
});

test('an operation that does not exist is refused before anything is asked', () => {
  assert.throws(() => parseGrant('RAED:boiler'), {
    detail: '--grant: unknown operation "RAED"; did you mean "READ"?',
  });
  assert.throws(() => parseGrant('READ,:boiler'), UsageError);
  assert.throws(() => readOperation('operation', 'delete'), {
    detail: '--operation: unknown operation "delete"; expected one of READ, WRITE',
  });
});

test('the table of grants shows which have ended', () => {
  const text = formatGrants([
    { assets: ['a', 'b'], operations: ['READ'] },
    { assets: ['c'], channels: ['d'], operations: ['READ', 'WRITE'], until: '2001-01-01T00:00:00Z' },
  ]);
  assert.match(text, /^1 +READ +a b +all/m);
  assert.match(text, /^2 +READ,WRITE +c +d +2001-01-01T00:00:00Z \(expired\)/m);
});
