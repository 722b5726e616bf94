import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DEFAULT_LIMITS } from '../../../../daemon/software/bundle/bundle-limits.ts';
import { parsePermissions } from '../../../../daemon/software/bundle/bundle-permissions.ts';
import {
  ALLOCATOR_ENVIRONMENT,
  buildLaunchCommand,
} from '../../../../daemon/software/bundle/process/launch-command.ts';

const UNIT = path.join(import.meta.dirname, '../../../../systemd/penstock-bundle@.service');
const BYTES_PER: Readonly<Record<string, number>> = { K: 1024, M: 1_048_576, G: 1_073_741_824 };

const lines = readFileSync(UNIT, 'utf8').replaceAll('\\\n', ' ').split('\n');
const command = buildLaunchCommand({
  bundle: { directory: '/content', dataDirectory: '/data' },
  permissions: parsePermissions({ permissions: 'child-process' }),
  heapMib: DEFAULT_LIMITS.heapMib,
  features: { hasNetworkNamespace: false, hasProcessNamespace: false, hasParentDeath: false },
});

function valueOf(key: string): string {
  const found = lines.find((line) => line.startsWith(`${key}=`));
  assert.ok(found, `${key}= is missing`);
  return found.slice(key.length + 1);
}

// Of `-n`, which both programs have.
function argumentOf(program: string): string | undefined {
  return command[command.findIndex((word) => word.endsWith(`/${program}`)) + 2];
}

function toBytes(text: string): number {
  const [, digits = '', suffix = ''] = /^(\d+)([KMG]?)$/.exec(text) ?? [];
  return Number(digits) * (BYTES_PER[suffix] ?? 1);
}

// What a bundle may read and write is named by other paths in the unit.
function listFlags(words: readonly string[]): readonly string[] {
  return words.filter((word) => word.startsWith('--') && !word.startsWith('--allow-')).toSorted();
}

test('the unit of a bundle starts Node.js with the flags of a bundle in a checkout', () => {
  const words = valueOf('ExecStart').split(/\s+/);
  const own = command.slice(command.indexOf(process.execPath));
  assert.deepEqual(listFlags(words), listFlags(own));
});

test('the unit of a bundle has the environment of a bundle in a checkout', () => {
  const given = Object.entries(ALLOCATOR_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  assert.deepEqual(valueOf('Environment').split(' '), given);
});

test('the unit of a bundle has the limits of a bundle in a checkout', () => {
  const given = new Map(
    command.flatMap((word) => {
      const [, key, value] = /^--(data|fsize|nofile|core)=(\d+)$/.exec(word) ?? [];
      return key === undefined ? [] : [[key, Number(value)] as const];
    }),
  );
  const unit = new Map(
    ['data', 'fsize', 'nofile', 'core'].map(
      (name) => [name, toBytes(valueOf(`Limit${name.toUpperCase()}`))] as const,
    ),
  );
  assert.deepEqual(unit, given);
  assert.equal(toBytes(valueOf('MemoryMax')), DEFAULT_LIMITS.residentMib * 1_048_576);
  assert.equal(valueOf('Nice'), argumentOf('nice'));
  assert.equal(valueOf('OOMScoreAdjust'), argumentOf('choom'));
});

test('a bundle that requests memory gets a third of it as heap, in a unit as in a checkout', () => {
  const memoryMib = 300;
  const asking = buildLaunchCommand({
    bundle: { directory: '/content', dataDirectory: '/data', memoryMib },
    permissions: parsePermissions({ permissions: '' }),
    heapMib: DEFAULT_LIMITS.heapMib,
    features: { hasNetworkNamespace: false, hasProcessNamespace: false, hasParentDeath: false },
  });
  assert.ok(asking.includes('--max-old-space-size=100'));
  assert.ok(asking.includes(`--data=${(832 + memoryMib) * 1_048_576}`));
  const launcher = readFileSync(path.join(path.dirname(UNIT), 'penstock-launcher'), 'utf8');
  assert.match(launcher, /LimitDATA=' \. \(832 \+ \$memory\) \. 'M'/);
  assert.match(launcher, /--max-old-space-size=' \. int\(\$memory \/ 3\)/);
  // The last of two flags counts.
  assert.match(valueOf('ExecStart'), /--max-old-space-size=64 .*\$NODE_PERMISSIONS/);
});
