import assert from 'node:assert/strict';
import { test } from 'node:test';

import { check, z } from '../../../daemon/base/schema.ts';
import { addKeyHints, findNearestKey } from '../../../daemon/settings/key-hint.ts';

test('findNearestKey finds a key behind a typing error and ignores upper and lower case', () => {
  const known = ['host', 'ports', 'httpsPorts', 'trustedProxies'];
  assert.equal(findNearestKey('httpPorts', known), 'httpsPorts');
  assert.equal(findNearestKey('trustedproxys', known), 'trustedProxies');
  assert.equal(findNearestKey('prots', known), 'ports');
});

test('findNearestKey finds none for another word', () => {
  assert.equal(findNearestKey('banner', ['host', 'ports']), undefined);
  assert.equal(findNearestKey('ab', ['cd']), undefined);
});

test('addKeyHints leaves faults about known keys as they are', () => {
  const schema = z.strictObject({ section: z.strictObject({ size: z.int() }).prefault({ size: 1 }) });
  const { faults = [] } = check(schema, { section: { size: 'x', sise: 1 } });
  const hinted = addKeyHints(schema, faults);
  assert.equal(hinted[0], faults[0]);
  assert.deepEqual(hinted[1]?.path, ['section', 'sise']);
  assert.match(hinted[1]?.message ?? '', /did you mean "size"/);
});
