import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { AUDIT_EVENTS } from '../../daemon/interface/security/audit-event.ts';

// The texts are made for a browser: they are read here, not imported.
const WORDS = path.resolve(import.meta.dirname, '../../daemon/console/text/audit-events.ts');
const FACTS = path.resolve(import.meta.dirname, '../../daemon/console/text/audit-facts.ts');

test('the console has words for every event of the audit', () => {
  const names = readFileSync(WORDS, 'utf8').matchAll(/^ {2}(?<name>[A-Z_]+): \{/gm);
  const known = [...names].map(({ groups }) => groups?.['name'] ?? '');
  assert.deepEqual(known.toSorted(), AUDIT_EVENTS.toSorted());
});

test('the console has words for every detail that an event of the audit has', () => {
  const source = readFileSync(
    path.resolve(import.meta.dirname, '../../daemon/interface/security/audit-event.ts'),
    'utf8',
  );
  const comments = [...source.matchAll(/`detail`(?: as)?[^/]*?:(?<names>[^/]*)\*\//g)];
  const named = comments.flatMap(({ groups }) =>
    [...(groups?.['names'] ?? '').matchAll(/`([a-z]\w*)`/gi)].map(([, name = '']) => name),
  );
  assert.ok(named.length > 15);
  const words = readFileSync(FACTS, 'utf8');
  assert.deepEqual(
    named.filter((name) => !words.includes(`\n  ${name}: {`)),
    [],
  );
});
