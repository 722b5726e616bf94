import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createReason } from '../../../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../../../daemon/base/fault-sentences.ts';
import { createHintingCheck, findNearestKey } from '../../../../daemon/base/key/key-hint.ts';
import { check, z } from '../../../../daemon/base/schema.ts';

test('findNearestKey finds a key despite a typing error and ignores upper and lower case', () => {
  const known = ['host', 'ports', 'httpsPorts', 'trustedProxies'];
  assert.equal(findNearestKey('httpPorts', known), 'httpsPorts');
  assert.equal(findNearestKey('trustedproxys', known), 'trustedProxies');
  assert.equal(findNearestKey('prots', known), 'ports');
});

test('findNearestKey finds the only key that begins with the word', () => {
  const known = ['flowTemperature', 'returnTemperature', 'pumpSpeed', 'pumpStanding'];
  assert.equal(findNearestKey('flow', known), 'flowTemperature');
  assert.equal(findNearestKey('Return', known), 'returnTemperature');
  assert.equal(findNearestKey('pump', known), undefined);
  assert.equal(findNearestKey('fl', known), undefined);
});

test('findNearestKey finds none for an unrelated word', () => {
  assert.equal(findNearestKey('banner', ['host', 'ports']), undefined);
  assert.equal(findNearestKey('ab', ['cd']), undefined);
});

test('createHintingCheck leaves errors about known keys unchanged', () => {
  const schema = z.strictObject({ section: z.strictObject({ size: z.int() }).prefault({ size: 1 }) });
  const value = { section: { size: 'x', sise: 1 } };
  const { faults = [] } = createHintingCheck(schema)(value);
  assert.deepEqual(faults[0], check(schema, value).faults?.[0]);
  assert.deepEqual(faults[1]?.path, ['section', 'sise']);
  assert.match(faults[1]?.message ?? '', /did you mean "size"/);
});

test('createHintingCheck knows the keys of list items', () => {
  const schema = z.strictObject({ items: z.array(z.strictObject({ offset: z.int().optional() })) });
  const { faults } = createHintingCheck(schema)({ items: [{}, { ofset: 1 }] });
  assert.deepEqual(faults, [
    {
      path: ['items', 1, 'ofset'],
      message: 'is not a known key; did you mean "offset"?',
      reasons: [
        createReason(BASE_FAULTS, 'KEY_UNKNOWN', {}),
        createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: 'offset' }),
      ],
    },
  ]);
});

test('createHintingCheck names the keys of the chosen alternative', () => {
  const schema = z.discriminatedUnion('transport', [
    z.strictObject({ transport: z.literal('tcp').default('tcp'), host: z.string() }),
    z.strictObject({ transport: z.literal('rtu'), device: z.string() }),
  ]);
  const checkKeys = createHintingCheck(schema);
  assert.match(
    checkKeys({ transport: 'rtu', device: 'x', baud: 1 }).faults?.[0]?.message ?? '',
    /one of transport, device$/,
  );
  assert.match(checkKeys({ host: 'x', hots: 'x' }).faults?.[0]?.message ?? '', /did you mean "host"/);
});

test('createHintingCheck names the choice that a key belongs to, and the choice that was made', () => {
  const schema = z.strictObject({
    lines: z.array(
      z.discriminatedUnion('transport', [
        z.strictObject({ transport: z.literal('tcp').default('tcp'), host: z.string() }),
        z.strictObject({ transport: z.literal('rtu'), baudRate: z.int() }),
        z.strictObject({ transport: z.literal('ascii'), baudRate: z.int() }),
      ]),
    ),
  });
  const message =
    'belongs to transport rtu, ascii, and transport is tcp here; remove this key, or change transport';
  const parameters = { choice: 'transport', wanted: ['rtu', 'ascii'], chosen: 'tcp' };
  const reasons = [createReason(BASE_FAULTS, 'KEY_OF_OTHER_CHOICE', parameters)];
  const checkLines = createHintingCheck(schema);
  assert.deepEqual(checkLines({ lines: [{ host: 'x', baudRate: 9600 }] }).faults, [
    { path: ['lines', 0, 'baudRate'], message, reasons },
  ]);
  assert.deepEqual(checkLines({ lines: [{ transport: 'tcp', host: 'x', baudRate: 9600 }] }).faults, [
    { path: ['lines', 0, 'baudRate'], message, reasons },
  ]);
});

test('createHintingCheck knows the keys that another schema checks', () => {
  const { faults } = createHintingCheck(z.strictObject({}), ['deadlineMs'])({ deadlneMs: 1 });
  assert.match(faults?.[0]?.message ?? '', /did you mean "deadlineMs"/);
});
