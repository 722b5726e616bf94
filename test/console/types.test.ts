import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { writeConsoleTypes } from '../../packaging/console-types.ts';

const TYPES = path.resolve(import.meta.dirname, '../../daemon/console/api/types.ts');

test('the console knows the REST interface as it describes itself', async () => {
  const made = await writeConsoleTypes();
  assert.equal(
    withoutForm(readFileSync(TYPES, 'utf8')),
    withoutForm(made),
    'run: npm run build:console-types',
  );
});

// What the formatter decides.
function withoutForm(text: string): string {
  return text.replaceAll(/[\s'"|;,()]/g, '');
}
