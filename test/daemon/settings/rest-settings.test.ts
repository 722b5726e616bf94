import assert from 'node:assert/strict';
import { test } from 'node:test';

import { check } from '../../../daemon/base/schema.ts';
import { bannersSchema } from '../../../daemon/settings/rest-settings.ts';

const isAccepted = (message: string): boolean =>
  check(bannersSchema, { preLogin: { message } }).faults === undefined;

test('a banner may have lines, letters that join or part, and emoji', () => {
  for (const message of ['', 'Line 1\r\n\tLine 2\n', 'می\u200cخواهم', '👩\u200d🔧 ⚠️', '© Plant']) {
    assert.ok(isAccepted(message), message);
  }
});

test('a banner has no characters that are not seen, and none that turn its direction around', () => {
  for (const hidden of [
    '\0',
    '\u001b',
    '\u202e',
    '\u2066',
    '\u{e0041}',
    '\ue000',
    '\u0378',
    '\u2028',
    '\ud800',
  ]) {
    assert.ok(!isAccepted(`Authorized${hidden} users only`), JSON.stringify(hidden));
  }
});
