import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { MAXIMUM_ENTRIES } from '../../daemon/software/bundle/bundle-directory.ts';
import { DEFAULT_LIMITS } from '../../daemon/software/bundle/bundle-limits.ts';
import { parsePermissions } from '../../daemon/software/bundle/bundle-permissions.ts';
import { MAXIMUM_CHANNELS } from '../../daemon/software/bundle/message/messages.ts';
import { CRASH_LOOP_ENDS, MAXIMUM_ENDS_PER_HOUR } from '../../daemon/software/bundle/restart-policy.ts';
import { BUNDLE_STATES } from '../../daemon/interface/software/bundle.ts';

const DOCS = path.resolve(import.meta.dirname, '../../docs');
const PAGE = readFileSync(path.join(DOCS, 'reference/bundles.md'), 'utf8');

function numbers(start: string): readonly number[] {
  const line = PAGE.split('\n').find((candidate) => candidate.startsWith(start));
  return [...(line ?? '').matchAll(/\d+/g)].map(Number);
}

function firstColumn(heading: string): readonly string[] {
  const [, section = ''] = PAGE.split(heading);
  const table = section.slice(section.indexOf('\n| --')).trim().split('\n\n')[0] ?? '';
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
}

test('the limits of the documentation are those of the code', () => {
  const limits = DEFAULT_LIMITS;
  assert.deepEqual(numbers('| heap of JavaScript'), [limits.heapMib]);
  assert.deepEqual(numbers('| resident memory'), [limits.residentMib, limits.memoryCheckIntervalMs / 1000]);
  const { bytes, entries } = limits.storage;
  assert.deepEqual(numbers('| [storage]'), [
    bytes / 1_048_576,
    entries,
    limits.storageCheckIntervalMs / 1000,
  ]);
  assert.deepEqual(numbers('| files of the bundle'), [MAXIMUM_ENTRIES]);
  assert.deepEqual(numbers('| loading and'), [limits.activationMs / 1000]);
  assert.deepEqual(numbers('| answer to'), [
    limits.heartbeatIntervalMs / 1000,
    limits.heartbeatDeadlineMs / 1000,
  ]);
  assert.deepEqual(numbers('| `deactivate` '), [limits.deactivationMs / 1000, limits.terminationMs / 1000]);
  assert.deepEqual(numbers('| channels in one call'), [MAXIMUM_CHANNELS]);
  assert.deepEqual(numbers('An installation succeeds'), [limits.probationMs / 1000]);
  assert.deepEqual([CRASH_LOOP_ENDS, MAXIMUM_ENDS_PER_HOUR], [5, 10], 'the words "five" and "ten"');
});

test('the states of the documentation are those of the code', () => {
  assert.deepEqual(firstColumn('\nAn installation succeeds').toSorted(), BUNDLE_STATES.toSorted());
});

test('the permissions of the documentation can be granted, and there is no other', () => {
  const documented = firstColumn('## Permissions').map((name) => name.replace('<path>', '/dev/ttyS0'));
  assert.deepEqual(parsePermissions({ permissions: documented.join(', ') }), {
    net: true,
    childProcess: true,
    authentication: true,
    credentials: true,
    anyIdentity: false,
    devices: ['/dev/ttyS0'],
  });
});

test('the examples of bundles are those that there are', () => {
  const linked = [...PAGE.matchAll(/\(\.\.\/examples\/([a-z-]+)\/main\.mjs\)/g)].map(([, name = '']) => name);
  const folders = readdirSync(path.join(DOCS, 'examples'), { withFileTypes: true })
    .filter((entry) => existsSync(path.join(entry.parentPath, entry.name, 'main.mjs')))
    .map(({ name }) => name);
  assert.deepEqual(linked.toSorted(), folders.toSorted());
});
