import assert from 'node:assert/strict';
import type { ValueType } from '../../../daemon/channel/value-type.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/serial-instrument-driver.ts';
import { openScriptedInstrument, startInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const { test } = testsThatNeed('python3', 'socat');

const WEIGHT = createChannel({ request: 'W\\r\\n', response: { pattern: '^ST,GS,(.*) kg$' } });
const STABILITY = createChannel({ request: 'W\\r\\n', response: { pattern: '^(ST|US),' } }, 'STRING');
const MAKE = createChannel({ request: 'ID\r\n', response: { pattern: '^(.+)$' } }, 'STRING');
const SETPOINT = createChannel({
  request: 'SP?\\r\\n',
  response: { pattern: '^SP (.*)$' },
  write: 'SP {value}\\r\\n',
  decimals: 2,
  acknowledge: '^OK$',
});
const TARE = createChannel({ write: 'T\\r\\n' }, 'BOOLEAN');

test('a scale is asked, and channels with the same request share one exchange', async () => {
  await using pair = await openSerialPair();
  await using _scale = await startInstrument('scale', pair.instrument);
  await using scale = await connectDriver(pair.gateway);
  const readings = await scale.read(WEIGHT, MAKE, STABILITY);
  assert.deepEqual(
    readings.map(({ value }) => value),
    [12.5, 'EVEREST 3000', 'ST'],
  );
  assert.equal(scale.driver.counters()['requests'], 2);
  assert.equal(scale.driver.unitStatus()[0]?.state, 'ANSWERING');
});

test('a write is done when the scale acknowledges it; else its outcome is unknown, in its own words', async () => {
  await using pair = await openSerialPair();
  await using _scale = await startInstrument('scale', pair.instrument);
  await using scale = await connectDriver(pair.gateway, { responseTimeoutMs: 2000 });
  const write = (value: number) => writeValues(scale.driver, [{ channel: SETPOINT, value }], noDeadline());
  assert.equal((await write(42.5))[0]?.failure, undefined);
  assert.equal((await scale.read(SETPOINT))[0]?.value, 42.5);
  const [unknown] = await write(101);
  assert.equal(unknown?.failure?.code, 'SERIAL_WRITE_OUTCOME_UNKNOWN');
  assert.match(unknown?.failure?.message ?? '', /"ERR 2"/);
  assert.equal((await scale.read(SETPOINT))[0]?.value, 42.5);
});

test('a write without acknowledge is sent, and said to be unconfirmed', async () => {
  await using pair = await openSerialPair();
  await using _scale = await startInstrument('scale', pair.instrument);
  await using scale = await connectDriver(pair.gateway);
  const [outcome] = await writeValues(scale.driver, [{ channel: TARE, value: true }], noDeadline());
  assert.deepEqual([outcome?.failure, outcome?.isUnconfirmed], [undefined, true]);
  assert.equal((await scale.read(WEIGHT))[0]?.value, 0);
});

test('each channel gets the next frame of a weather station that sends unasked', async () => {
  await using pair = await openSerialPair();
  await using _station = await startInstrument('weather', pair.instrument);
  await using station = await connectDriver(pair.gateway);
  const wind = createChannel({ response: { pattern: '^\\$WIMWV,[^,]*,R,([^,]*),M,A' } });
  const air = createChannel({ match: 'TEMP', response: { pattern: ',C,([-0-9.]+),C,' } });
  const beforeMs = Date.now();
  for (const reading of await station.read(wind, air)) {
    assert.equal(typeof reading.value, 'number');
    assert.ok(reading.timestampMs >= beforeMs);
  }
});

test('a flow meter with binary frames is read by offset and data type', async () => {
  await using pair = await openSerialPair();
  await using _meter = await startInstrument('flow', pair.instrument);
  const framing = { type: 'lengthField', offset: 1, size: 2, byteOrder: 'LITTLE_ENDIAN', adjustment: 1 };
  await using meter = await connectDriver(pair.gateway, { framing });
  const at = (offset: number, dataType: string) =>
    createChannel({ request: 'hex: 02 52', response: { offset, dataType, byteOrder: 'LITTLE_ENDIAN' } });
  const readings = await meter.read(at(3, 'INT16'), at(5, 'FLOAT32'), at(7, 'FLOAT32'));
  assert.deepEqual(
    readings.map(({ value, failure }) => failure?.code ?? value),
    [-125, 1.5, 'SERIAL_INVALID_RESPONSE'],
  );
});

test('decimal digits, times and arrays of a binary frame are read, and wrong digits are no value', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  await using meter = await connectDriver(pair.gateway, { framing: { type: 'fixedLength', length: 16 } });
  const at = (response: object, valueType: ValueType = 'STRING') =>
    createChannel({ request: 'R', response }, valueType);
  const reading = meter.read(
    at({ offset: 0, dataType: 'BCD24' }, 'INTEGER'),
    at({ offset: 3, dataType: 'YMDHMS_BCD', timeZone: 'Europe/Berlin' }),
    at({ offset: 9, dataType: 'UINT16', count: 3 }),
    at({ offset: 14, dataType: 'BCD16' }, 'INTEGER'),
  );
  await instrument.expect('R');
  instrument.send(Buffer.from('123456260701140000000100020003ff', 'hex').toString('latin1'));
  assert.deepEqual(
    (await reading).map(({ value, failure }) => failure?.code ?? value),
    [123_456, '2026-07-01T12:00:00.000Z', '[1,2,3]', 'SERIAL_INVALID_RESPONSE'],
  );
});

test('frames of a fixed length and frames that end with silence are read', async () => {
  const answers = [
    { framing: { type: 'fixedLength', length: 4 }, answer: '\x00\x00\x01\x02' },
    { framing: { type: 'idleGap', gapMs: 20 }, answer: '\x00\x00\x01\x02' },
  ];
  for (const { framing, answer } of answers) {
    await using pair = await openSerialPair();
    using instrument = await openScriptedInstrument(pair.instrument);
    await using line = await connectDriver(pair.gateway, { framing });
    const channel = createChannel({ request: 'R', response: { offset: 0, dataType: 'UINT32' } });
    const reading = line.read(channel);
    await instrument.expect('R');
    instrument.send(answer);
    assert.equal((await reading)[0]?.value, 258);
  }
});
