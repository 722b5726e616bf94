import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  getItem,
  getSection,
  outlineDocument,
  parseSectionName,
  pickItem,
  pickSection,
  putItem,
  removeItem,
  removeSection,
} from '../../../daemon/configuration/section-edit.ts';
import { PLANT } from './plant-fixture.ts';

test('parseSectionName knows the sections of the document, and nothing else', () => {
  assert.equal(parseSectionName('drivers'), 'drivers');
  for (const name of ['identities', '__proto__', 'constructor', 'Drivers', '']) {
    assert.throws(() => parseSectionName(name), { name: 'NotFound', code: 'SECTION_UNKNOWN' }, name);
  }
});

test('getSection returns the default content of a list', () => {
  assert.deepEqual(getSection({}, 'drivers'), []);
  assert.deepEqual(getSection({}, 'rest'), {});
  const services = getSection({}, 'tokenIssuingServices') as readonly { pid: string }[];
  assert.deepEqual(
    services.map(({ pid }) => pid),
    ['local'],
  );
});

test('outlineDocument returns each item by its name, without settings, and the default items', () => {
  const items = {
    drivers: [{ pid: 'line', type: 'bench', host: 'a' }],
    assets: [{ pid: 'pump', driver: 'line', channels: [{ name: 'speed' }] }],
    recorders: [{ pid: 'fast', intervalMs: 100, type: 'no key of a recorder' }],
  };
  const { tokenIssuingServices, tokenVerificationServices, ...outline } = outlineDocument({
    ...items,
    rest: { allowedPorts: [443] },
  });
  assert.deepEqual(outline, {
    drivers: [{ pid: 'line', type: 'bench' }],
    assets: [{ pid: 'pump', driver: 'line' }],
    recorders: [{ pid: 'fast' }],
    bundles: [],
  });
  assert.deepEqual(tokenIssuingServices, [{ pid: 'local' }]);
  assert.ok(Array.isArray(tokenVerificationServices));
});

test('putItem keeps the position of an item and appends a new one', () => {
  const two = putItem(PLANT, 'drivers', 'line2', { type: 'bench', host: 'b' });
  const changed = putItem(two, 'drivers', 'line1', { pid: 'line1', type: 'bench', host: 'c' });
  assert.deepEqual(changed['drivers'], [
    { pid: 'line1', type: 'bench', host: 'c' },
    { pid: 'line2', type: 'bench', host: 'b' },
  ]);
});

test('putItem keeps the default items', () => {
  const document = putItem({}, 'tokenIssuingServices', 'second', {});
  assert.equal((document['tokenIssuingServices'] as readonly unknown[]).length, 2);
});

test('putItem refuses another pid and a value that is not an object', () => {
  const put = (item: unknown) => () => putItem(PLANT, 'drivers', 'line1', item);
  assert.throws(put({ pid: 'line2' }), { name: 'InvalidRequest', code: 'PID_MISMATCH' });
  for (const item of [null, [], 'line1', 1]) assert.throws(put(item), { code: 'ITEM_NOT_AN_OBJECT' });
});

test('getItem and removeItem refuse an item that does not exist', () => {
  assert.deepEqual(getItem(PLANT, 'drivers', 'line1'), PLANT.drivers[0]);
  assert.deepEqual(removeItem(PLANT, 'drivers', 'line1')['drivers'], []);
  assert.throws(() => getItem(PLANT, 'drivers', 'line2'), {
    code: 'ITEM_UNKNOWN',
    message: /did you mean "line1"/,
  });
  assert.throws(() => removeItem(PLANT, 'assets', 'line1'), { code: 'ITEM_UNKNOWN' });
  assert.throws(() => getItem(PLANT, 'rest', 'allowedPorts'), { code: 'SECTION_WITHOUT_ITEMS' });
});

test('removeSection removes one section', () => {
  assert.deepEqual(removeSection(PLANT, 'assets'), { drivers: PLANT.drivers });
});

test('pickSection and pickItem leave one part of a document', () => {
  assert.deepEqual(pickSection(PLANT, 'drivers'), { drivers: PLANT.drivers });
  assert.deepEqual(pickSection(PLANT, 'tokenVerificationServices'), {});
  assert.deepEqual(pickItem(PLANT, 'drivers', 'line1'), { drivers: [PLANT.drivers[0]] });
  assert.throws(() => pickItem(PLANT, 'drivers', 'line2'), { code: 'ITEM_UNKNOWN' });
  // The default items are not stored, and have no secrets.
  const [issuer] = pickItem({}, 'tokenIssuingServices', 'local')['tokenIssuingServices'] as unknown[];
  assert.deepEqual(issuer, getItem({}, 'tokenIssuingServices', 'local'));
});
