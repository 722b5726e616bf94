import assert from 'node:assert/strict';
import { test } from 'node:test';

import { UsageError } from '../../../../daemon/cli/command-error.ts';
import { readWholeNumber } from '../../../../daemon/cli/terminal/whole-number.ts';

const SECONDS = { unit: 'seconds', minimum: 1, maximum: 60 };

test('readWholeNumber reads a number within its bounds, and nothing where nothing is given', () => {
  assert.equal(readWholeNumber({ limit: '1' }, 'limit', SECONDS), 1);
  assert.equal(readWholeNumber({ limit: '60' }, 'limit', SECONDS), 60);
  assert.equal(readWholeNumber({ port: '0' }, 'port', { maximum: 65_535 }), 0);
  assert.equal(readWholeNumber({}, 'limit', SECONDS), undefined);
});

for (const text of ['', '0', '61', '-1', '1.5', '1e1', ' 1', '0x10', 'abc', '9'.repeat(30)]) {
  test(`readWholeNumber refuses ${JSON.stringify(text)}, and names the option, its value and its bounds`, () => {
    assert.throws(
      () => readWholeNumber({ limit: text }, 'limit', SECONDS),
      (error) =>
        error instanceof UsageError &&
        error.message.includes(`--limit "${text}": expected a whole number of seconds from 1 to 60`),
    );
  });
}
