import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import type { PlantedDefect } from './defects/planted-defect.ts';
import { readResults, toTable, writeResult } from './defects/results.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const PARTS = { file: 'a.ts', search: 'a', replace: 'b', invariants: ['true-value'] } as const;
const KEPT: PlantedDefect = { name: 'session-kept', ...PARTS };
const LOST: PlantedDefect = { name: 'asset-offset-lost', ...PARTS, unseenBecause: 'nobody looks' };
const POLL: PlantedDefect = { name: 'poll-ends', ...PARTS };

test('the newest result of a defect counts, and the table has a row for each defect that was looked for', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'results.jsonl');
  const seen = { invariant: 'true-value', seed: '1', atMs: 1, message: '' } as const;
  const finding = { seen: undefined, cpuSeconds: 300.2, simulatedMs: 1, remarks: [] };
  writeResult(file, KEPT, finding);
  writeResult(file, LOST, finding);
  writeResult(file, KEPT, { ...finding, seen, cpuSeconds: 7.6 });
  writeResult(file, POLL, { ...finding, seen: { ...seen, invariant: 'newest-value' } });
  const rows = toTable([KEPT, POLL, LOST, { name: 'asset-other', ...PARTS }], readResults(file))
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    rows.map((cells) => cells.slice(1, -1)),
    [
      ['area', 'defect', 'seen by', 'seconds'],
      rows[1]?.slice(1, -1),
      ['asset', 'offset lost', 'not found: nobody looks', '300'],
      ['listener', 'poll ends', '`newest-value`', '300'],
      ['session', 'kept', '`true-value`', '8'],
    ],
  );
});
