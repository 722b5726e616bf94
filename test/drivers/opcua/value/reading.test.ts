import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BUILT_IN_TYPES } from '../../../../drivers/opcua/value/data-type.ts';
import { toReading } from '../../../../drivers/opcua/value/reading.ts';
import type { DataValueLike } from '../../../../drivers/opcua/value/reading.ts';

const GOOD = 0;
const GOOD_CLAMPED = 0x0030_0000;
const UNCERTAIN = 0x4090_0000;
const BAD = 0x8037_0000;
const RESERVED = 0xc000_0000;
const NAMES = new Map([
  [GOOD_CLAMPED, 'GoodClamped'],
  [UNCERTAIN, 'UncertainInitialValue'],
]);
const NOW_MS = 1_700_000_009_000;
const SOURCE = new Date(1_700_000_000_123);
const SERVER = new Date(1_700_000_001_456);

const read = (dataValue: Partial<DataValueLike> & { readonly code?: number }, acceptUncertain = false) =>
  toReading(
    {
      value: { dataType: BUILT_IN_TYPES.Double, arrayType: 0, value: 1.5 },
      statusCode: { value: dataValue.code ?? GOOD },
      sourceTimestamp: SOURCE,
      serverTimestamp: SERVER,
      ...dataValue,
    },
    {
      valueType: 'DOUBLE',
      nodeId: 'ns=2;s=level',
      acceptUncertain,
      findTypeFault: () => undefined,
      nameStatus: (code) => NAMES.get(code) ?? 'BadSensorFailure',
    },
    NOW_MS,
  );

test('a good value has the time of its source, else that of the server, else the present', () => {
  assert.deepEqual(read({}), { value: 1.5, timestampMs: SOURCE.getTime() });
  assert.equal(read({ sourceTimestamp: null }).timestampMs, SERVER.getTime());
  const never = new Date(Date.UTC(1601, 0, 1));
  assert.equal(read({ sourceTimestamp: never }).timestampMs, SERVER.getTime());
  assert.equal(read({ sourceTimestamp: null, serverTimestamp: undefined }).timestampMs, NOW_MS);
});

test('a bad value is a failure with the name of its status, even when a value comes with it', () => {
  for (const code of [BAD, RESERVED]) {
    const { value, failure } = read({ code }, true);
    assert.equal(value, undefined);
    assert.equal(failure?.code, 'OPCUA_BAD_SENSOR_FAILURE');
    assert.match(failure.message, /BadSensorFailure.*ns=2;s=level/);
    assert.equal(failure.status, 'BadSensorFailure');
  }
});

test('an uncertain value is a failure unless the settings accept it', () => {
  const { failure } = read({ code: UNCERTAIN });
  assert.deepEqual(
    [failure?.code, failure?.status],
    ['OPCUA_UNCERTAIN_INITIAL_VALUE', 'UncertainInitialValue'],
  );
  assert.deepEqual(read({ code: UNCERTAIN }, true), {
    value: 1.5,
    timestampMs: SOURCE.getTime(),
    quality: 'UNCERTAIN',
    status: 'UncertainInitialValue',
  });
});

test('a good value with a status of its own is good and keeps the status', () => {
  assert.deepEqual(read({ code: GOOD_CLAMPED }), {
    value: 1.5,
    timestampMs: SOURCE.getTime(),
    quality: 'GOOD',
    status: 'GoodClamped',
  });
});

test('bits that tell how a value was stored are no status', () => {
  for (const bits of [0x0400, 0x0480, 0x4000, 0x8000]) {
    assert.deepEqual(read({ code: GOOD | bits }), { value: 1.5, timestampMs: SOURCE.getTime() });
  }
});

test('a value that the channel cannot carry is a failure that names the node', () => {
  const { failure } = read({ value: { dataType: 0, arrayType: 0, value: null } });
  assert.equal(failure?.code, 'OPCUA_NO_VALUE');
  assert.match(failure.message, /ns=2;s=level/);
});
