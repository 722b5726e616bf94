import assert from 'node:assert/strict';
import { test } from 'node:test';

import { offerNumbers, splitCapture, toFraming } from '../../daemon/console/views/devices/add/line-offers.ts';
import { createPattern } from '../../drivers/serial/pattern.ts';

/** Returns what the patterns of all offers for a line find in another line of the same kind. */
function findIn(line: string, later: string): readonly (string | undefined)[] {
  return offerNumbers(splitCapture(`${line}\r\n`), '').map(({ channel }) => {
    const { response } = channel['address'] as { readonly response: { readonly pattern: string } };
    return createPattern(response.pattern).match(later)?.captured?.trim();
  });
}

test('each number of a line is offered with a pattern that finds it when all numbers have changed', () => {
  assert.deepEqual(findIn('ST,GS,+   12.50 kg', 'ST,GS,-    3.75 kg'), ['-    3.75']);
  assert.deepEqual(findIn('T=21.4 H=40 (ok)', 'T=-3.1 H=100 (ok)'), ['-3.1', '100']);
  assert.deepEqual(findIn('$WIMWV,214.8,R,4.5,M,A*11', '$WIMWV,7.0,R,12.5,M,A*11').slice(0, 2), [
    '7.0',
    '12.5',
  ]);
});

test('names and units are those that stand next to the number', () => {
  const offers = offerNumbers(splitCapture('Flow: 1,5 m3/h\nFlow: 2,5 m3/h\n'), 'R\\r\\n');
  assert.deepEqual(
    offers.map(({ channel }) => [channel['name'], channel['unit']]),
    [
      ['Flow', 'm3/h'],
      ['Flow-2', 'm3/h'],
    ],
  );
  assert.deepEqual(offers[0]?.channel['address'], {
    request: 'R\\r\\n',
    response: { pattern: '^Flow:([-+0-9., ]*) m3/h$', decimalSeparator: ',' },
  });
});

test('the end of the frames is the one that was received', () => {
  assert.deepEqual(toFraming(splitCapture('1\r\n2\r\n')), {
    framing: { type: 'delimiter', delimiter: '\\r\\n' },
  });
  assert.deepEqual(toFraming(splitCapture('1\r2\r')), { framing: { type: 'delimiter', delimiter: '\\r' } });
  assert.deepEqual(toFraming(splitCapture('1 2')), {
    framing: { type: 'idleGap', gapMs: 100 },
    encoding: 'latin1',
  });
});
