import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  addSilence,
  FIRST_PAUSE_MS,
  LONGEST_PAUSE_MS,
  NOT_SILENT,
  SILENT_REQUESTS,
} from '../../../../../daemon/security/identity/provider/provider-watch.ts';
import type { Silence } from '../../../../../daemon/security/identity/provider/provider-watch.ts';

test('addSilence suspends after several silent requests in a row, for twice as long each time, up to a limit', () => {
  const pauses: (number | undefined)[] = [];
  let silence: Silence = NOT_SILENT;
  for (let request = 0; request < SILENT_REQUESTS + 8; request += 1) {
    silence = addSilence(silence, 1000, silence.untilMs !== undefined);
    pauses.push(silence.untilMs === undefined ? undefined : silence.untilMs - 1000);
  }
  assert.deepEqual(pauses.slice(0, SILENT_REQUESTS - 1), [undefined, undefined]);
  assert.deepEqual(pauses.slice(SILENT_REQUESTS - 1, SILENT_REQUESTS + 2), [
    FIRST_PAUSE_MS,
    2 * FIRST_PAUSE_MS,
    4 * FIRST_PAUSE_MS,
  ]);
  assert.equal(pauses.at(-1), LONGEST_PAUSE_MS);
});

test('addSilence does not lengthen the pause for requests that were sent before the suspension', () => {
  const suspended = { inRow: 3, untilMs: 2000 };
  assert.deepEqual(addSilence(suspended, 1500, false), suspended);
});
