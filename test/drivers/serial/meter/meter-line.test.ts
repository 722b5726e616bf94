import assert from 'node:assert/strict';

import { connectDriver, createChannel, noDeadline } from '../../../support/serial-instrument-driver.ts';
import type { DriverUnderTest } from '../../../support/serial-instrument-driver.ts';
import { createChannelSchema } from '../../../../daemon/channel/channel.ts';
import type { Channel } from '../../../../daemon/channel/channel.ts';
import type { ValueType } from '../../../../daemon/channel/value-type.ts';
import { addressSchema } from '../../../../drivers/serial/serial-address.ts';
import type { SerialAddress } from '../../../../drivers/serial/serial-address.ts';
import { startMeters } from '../../../support/iec-meter.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openScriptedInstrument } from '../../../support/serial-instrument.ts';
import { openSerialPair } from '../../../support/serial-pair.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';
import { writeValues } from '../../../support/write-values.ts';
import { HEAT_METER, READOUTS, SENT_TELEGRAMS } from './published-readouts.ts';

const { test } = testsThatNeed('python3', 'socat');

const FRAMING = { type: 'IEC62056_21' };

function at(address: object, valueType: ValueType = 'DOUBLE'): Channel<SerialAddress> {
  return createChannelSchema(addressSchema).parse({ name: 'value', type: 'READ', valueType, address });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

// As long as any pause of the gateway, and shorter than a pause with the time of sending 6 characters at 300 bit/s: the
// speed changes only when the meter has heard them.
const LONGEST_PAUSE_MS = 210;
const SILENT = 'silent';
const AWAKE = 'awake';
// What a meter says before it sends nothing for longer than that.
const QUIET: ReadonlySet<string> = new Set([SILENT, AWAKE]);

interface Bench {
  readonly clock: ManualClock;
  readonly line: DriverUnderTest;
  readonly heard: readonly string[];
}

/**
 * Moves the clock until something happens; never past the silence after which a meter counts as silent, unless it says
 * that it is.
 */
async function advanceUntil<T>({ clock, line, heard }: Bench, promise: Promise<T>): Promise<T> {
  const settled = { isDone: false };
  const note = (): void => {
    settled.isDone = true;
  };
  promise.then(note, note);
  let [heardCount, requests, counts] = [0, 0, ''];
  let isSilent = false;
  let spentMs = 0;
  while (!settled.isDone) {
    const counters = line.driver.counters();
    const newCounts = Object.values(counters).join(' ');
    const hasHeard = heard.length !== heardCount;
    // Frames may come in later than the word that nothing follows them, such as an echo.
    if (hasHeard || counters['requests'] !== requests) isSilent = hasHeard && QUIET.has(heard.at(-1) ?? '');
    if (hasHeard || newCounts !== counts) spentMs = 0;
    [heardCount, requests, counts] = [heard.length, counters['requests'] ?? 0, newCounts];
    if (isSilent || spentMs < LONGEST_PAUSE_MS) {
      clock.advance(5);
      spentMs += 5;
    }
    await nextTurn();
  }
  return promise;
}

async function connect(
  device: string,
  heard: readonly string[],
  settings: object,
): Promise<Bench & AsyncDisposable> {
  const clock = new ManualClock();
  const framing = { ...FRAMING, ...settings };
  const line = await connectDriver(device, { clock, framing, responseTimeoutMs: 200 });
  return { clock, line, heard, [Symbol.asyncDispose]: () => line[Symbol.asyncDispose]() };
}

async function read(
  bench: Bench,
  ...channels: readonly Channel<SerialAddress>[]
): Promise<readonly unknown[]> {
  const readings = await advanceUntil(bench, bench.line.read(...channels));
  return readings.map(({ value, failure }) => failure?.code ?? value);
}

for (const { meter, identification, lines, values } of READOUTS) {
  test(`${meter} is read out at the speed that it offers, all channels with one readout`, async () => {
    await using meters = await startMeters([{ identification, lines }], { echo: true });
    await using bench = await connect(meters.device, meters.heard, {});
    const channels = values.map(([address, valueType]) => at(address, valueType));
    const expected = values.map(([, , value]) => value);
    assert.deepEqual(await read(bench, ...channels), expected);
    assert.deepEqual(await read(bench, ...channels), expected);
    const acknowledgement = `'\\x060${identification.charAt(4)}0'`;
    assert.deepEqual(meters.heard, ["'/?!'", acknowledgement, "'/?!'", acknowledgement]);
    assert.equal(bench.line.driver.counters()['checksumFaults'], 0);
  });
}

const READOUT = ['1.8.0(000123.4*kWh)', '2.8.0(000000.5*kWh)'];
const ENERGY = at({ obis: '1.8.0' });

test('the speed stays below maximumBaudRate, and a meter of mode B changes it without a selection', async () => {
  await using meters = await startMeters([
    { address: '1', identification: '/LGZ5\\2ZMD', lines: READOUT },
    { address: '2', identification: '/FMLCx', lines: READOUT },
  ]);
  await using bench = await connect(meters.device, meters.heard, { maximumBaudRate: 1200 });
  const channels = [at({ obis: '1.8.0', meter: '1' }), at({ obis: '2.8.0', meter: '2' })];
  assert.deepEqual(await read(bench, ...channels), [123.4, 0.5]);
  assert.deepEqual(meters.heard, ["'/?1!'", "'\\x06020'", "'/?2!'"]);
});

test('meters on one line are read one after the other, and a silent one costs the others nothing', async () => {
  await using meters = await startMeters([
    { address: '11', identification: '/EMH5LZQJ', lines: ['1.8.0(11*kWh)'] },
    { address: '12', identification: '/EMH5LZQJ', lines: [], deaf: true },
    { address: '13', identification: '/EMH5LZQJ', lines: ['1.8.0(13*kWh)'] },
  ]);
  await using bench = await connect(meters.device, meters.heard, {});
  const channels = ['11', '12', '13', '11'].map((meter) => at({ obis: '1.8.0', meter }));
  const readings = await advanceUntil(bench, bench.line.read(...channels));
  assert.deepEqual(
    readings.map(({ value, failure }) => failure?.code ?? value),
    [11, 'SERIAL_NO_RESPONSE', 13, 11],
  );
  assert.match(readings[1]?.failure?.message ?? '', /did not identify itself at 300 bit\/s \(meter 12\)/);
});

test(`${HEAT_METER.meter} is woken before its own sign-on, which without that it does not answer`, async () => {
  const { identification, lines, values } = HEAT_METER;
  await using meters = await startMeters([{ identification, lines, request: '#', sleeps: true }], {
    echo: true,
  });
  const channels = values.map(([address, valueType]) => at(address, valueType));
  {
    await using bench = await connect(meters.device, meters.heard, { requestCharacter: '#', wakeUp: true });
    assert.deepEqual(
      await read(bench, ...channels),
      values.map(([, , value]) => value),
    );
    assert.deepEqual(meters.heard, [AWAKE, "'/#!'"]);
  }
  await using bench = await connect(meters.device, meters.heard, { requestCharacter: '#' });
  assert.deepEqual(await read(bench, at({ obis: '6.8' })), ['SERIAL_NO_RESPONSE']);
});

test('a damaged readout is repeated from the sign-on, and one that stays damaged is no value', async () => {
  await using meters = await startMeters([{ identification: '/ISk5ME162', lines: READOUT, damage: 3 }]);
  await using bench = await connect(meters.device, meters.heard, {});
  assert.deepEqual(await read(bench, ENERGY), ['SERIAL_CHECKSUM_MISMATCH']);
  assert.deepEqual(await read(bench, ENERGY), [123.4]);
  assert.equal(bench.line.driver.counters()['checksumFaults'], 3);
  assert.equal(meters.heard.filter((message) => message === "'/?!'").length, 4);
});

test('data at another speed than the line has are none, and the next sign-on is at 300 again', async () => {
  // The meter sends before the line has the new speed, as behind an adapter that changes it late.
  await using meters = await startMeters([{ identification: '/ISk5ME162', lines: READOUT, waits: false }]);
  await using bench = await connect(meters.device, meters.heard, {});
  const [failed] = await advanceUntil(bench, bench.line.read(ENERGY));
  assert.equal(failed?.failure?.code, 'SERIAL_NO_RESPONSE');
  assert.match(
    failed?.failure?.message ?? '',
    /identified itself as "ISk5ME162", but sent no complete readout at 9600 bit\/s/,
  );
  assert.deepEqual(await read(bench, ENERGY), ['SERIAL_NO_RESPONSE']);
  assert.deepEqual(meters.heard, ["'/?!'", "'\\x06050'", SILENT, "'/?!'", "'\\x06050'", SILENT]);
});

test('what is no meter is named in the failure, and an address of another framing as well', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const heard: string[] = [];
  await using bench = await connect(pair.gateway, heard, {});
  const { line } = bench;
  const reading = line.read(ENERGY, createChannel({ request: 'W', response: { pattern: '(.*)' } }));
  await advanceUntil(bench, instrument.expect('/?!\r\n'));
  instrument.send('/1\r\n');
  while (line.driver.counters()['frames'] !== 1) await nextTurn();
  heard.push(SILENT);
  const [other, mismatch] = await advanceUntil(bench, reading);
  assert.equal(other?.failure?.code, 'SERIAL_INVALID_RESPONSE');
  assert.match(other?.failure?.message ?? '', /is no identification of a meter/);
  assert.equal(mismatch?.failure?.code, 'SERIAL_ADDRESS_MISMATCH');
  const write = createChannel({ write: 'A{value}' });
  const [refused] = await writeValues(line.driver, [{ channel: write, value: 1 }], noDeadline());
  assert.equal(refused?.failure?.code, 'SERIAL_ADDRESS_MISMATCH');
});

test('an OBIS code on a line with another framing is a failure that names the setting', async () => {
  await using pair = await openSerialPair();
  await using line = await connectDriver(pair.gateway);
  const [mismatch] = await line.read(ENERGY);
  assert.equal(mismatch?.failure?.code, 'SERIAL_ADDRESS_MISMATCH');
  assert.match(mismatch?.failure?.message ?? '', /framing with type IEC62056_21/);
});

test('a readout that is aborted leaves the line at its initial speed', async () => {
  await using meters = await startMeters([{ identification: '/ISk5ME162', lines: READOUT }]);
  await using bench = await connect(meters.device, meters.heard, {});
  const call = new AbortController();
  const aborted = bench.line.driver.prepareRead([ENERGY]).read(call.signal);
  const heardAcknowledgement = async (): Promise<void> => {
    while (meters.heard.length < 2) await nextTurn();
  };
  await advanceUntil(bench, heardAcknowledgement());
  call.abort(new Error('the deadline'));
  assert.notEqual((await advanceUntil(bench, aborted))[0]?.failure, undefined);
  assert.deepEqual(await read(bench, ENERGY), [123.4]);
});

for (const { meter, identification, lines, values } of SENT_TELEGRAMS) {
  test(`${meter} sends without a request, and its channels share a telegram`, async () => {
    await using pair = await openSerialPair();
    using instrument = await openScriptedInstrument(pair.instrument);
    await using bench = await connect(pair.gateway, [], { mode: 'D', initialBaudRate: 9600 });
    const reading = bench.line.read(...values.map(([address, valueType]) => at(address, valueType)));
    instrument.send(`${identification}\r\n\r\n${lines.join('\r\n')}\r\n!\r\n`);
    assert.deepEqual(
      (await reading).map(({ value }) => value),
      values.map(([, , value]) => value),
    );
    assert.equal(bench.line.driver.counters()['frames'], 1);
    assert.equal(instrument.received, '');
  });
}
