import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { toSourcePositions } from '../../packaging/source-positions.ts';
import { findProgram } from '../support/programs.ts';

const SOURCE = 'daemon/main.ts';
const THROWN = 'expected a process id';

test('positions in a trace of an installed gateway become those in the sources', () => {
  const program = findProgram('daemon/main');
  const built = readFileSync(program, 'utf8').split('\n');
  const line = built.findIndex((each) => each.includes(THROWN));
  const thrown = built[line]?.lastIndexOf('new', built[line].indexOf(THROWN)) ?? -1;
  assert.ok(thrown > 0);
  const place = `/usr/lib/penstock/daemon/main.js:${line + 1}:${thrown + 1}`;
  const trace = `RangeError: ${THROWN}\\n    at parse (file://${place})\\n    at node:internal/x:3:7`;
  const decoded = toSourcePositions(trace, path.dirname(path.dirname(program)));
  const [, sourceLine = '', column = ''] = /at parse \(daemon\/main\.ts:(\d+):(\d+)\)/.exec(decoded) ?? [];
  const sources = readFileSync(path.resolve(import.meta.dirname, '../..', SOURCE), 'utf8').split('\n');
  const source = sources[Number(sourceLine) - 1] ?? '';
  assert.ok(source.slice(Number(column) - 1).startsWith('new RangeError('), decoded);
  assert.ok(decoded.endsWith('node:internal/x:3:7'));
});

test('a position in a file that has no map stays as it is', () => {
  const trace = 'at run (/usr/lib/penstock/daemon/absent.js:1:2)';
  assert.equal(toSourcePositions(trace, path.dirname(import.meta.dirname)), trace);
});
