import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { AUDIT_EVENTS } from '../../daemon/interface/security/audit-event.ts';

// The texts are made for a browser: they are read here, not imported.
const WORDS = path.resolve(import.meta.dirname, '../../daemon/console/text/audit-events.ts');

test('the console has words for every event of the audit', () => {
  const names = readFileSync(WORDS, 'utf8').matchAll(/^ {2}(?<name>[A-Z_]+): \{/gm);
  const known = [...names].map(({ groups }) => groups?.['name'] ?? '');
  assert.deepEqual(known.toSorted(), AUDIT_EVENTS.toSorted());
});
