import assert from 'node:assert/strict';

import { ManualClock } from '../../support/manual-clock.ts';
import {
  advanceUntil,
  connectDriver,
  countTo,
  createChannel,
  noDeadline,
} from '../../support/serial-instrument-driver.ts';
import { openScriptedInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const { test } = testsThatNeed('socat');

const NMEA = { kind: 'XOR', form: 'HEX', after: '$', separator: '*' };
const WEIGHT = createChannel({ request: '$W*{checksum}\\r\\n', response: { pattern: '^\\$W,([0-9.]+)$' } });
const SETPOINT = createChannel({
  write: '$S,{value}*{checksum}\\r\\n',
  acknowledge: '^\\$OK$',
  refuse: '^\\$ERR',
});

function seal(body: string): string {
  const sum = Array.from(body).reduce((total, character) => total ^ (character.codePointAt(0) ?? 0), 0);
  return `$${body}*${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
}

test('the checksum of a request is computed, and a damaged answer is repeated', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock, checksum: NMEA });
  const reading = line.read(WEIGHT);
  await instrument.expect(seal('W'));
  instrument.send(seal('W,12.5').replace('12', '82'));
  // Before the time goes on: a response that is late is not repeated.
  await countTo(line, 'checksumFaults', 1);
  await advanceUntil(clock, countTo(line, 'requests', 2));
  await instrument.expect(seal('W'));
  instrument.send(seal('W,12.5'));
  assert.equal((await reading)[0]?.value, 12.5);
  assert.equal(line.driver.counters()['checksumFaults'], 1);
});

test('an answer that stays damaged is a failure of its own, and never a value', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock, checksum: { ...NMEA, retries: 0 } });
  const reading = line.read(WEIGHT);
  await instrument.expect(seal('W'));
  instrument.send('$W,12.5*00\r\n');
  const [damaged] = await reading;
  assert.equal(damaged?.failure?.code, 'SERIAL_CHECKSUM_MISMATCH');
  assert.match(damaged?.failure?.message ?? '', /has the checksum "00" instead of "63"/);
  assert.equal(line.driver.counters()['requests'], 1);
});

test('a damaged frame that comes unasked is passed over, and channels share the next one', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock, checksum: NMEA });
  const at = (pattern: string) => createChannel({ match: '^\\$POS,', response: { pattern } });
  const [north, east] = [at('^\\$POS,([0-9.]+),'), at('^\\$POS,[0-9.]+,([0-9.]+)')];
  const reading = line.read(north, east);
  instrument.send(seal('POS,48.5,11.25').replace('48', '49'));
  instrument.send(seal('POS,50.5,12.25'));
  assert.deepEqual(
    (await reading).map(({ value }) => value),
    [50.5, 12.25],
  );
  const counters = line.driver.counters();
  assert.deepEqual([counters['frames'], counters['checksumFaults']], [1, 1]);
  const silent = line.read(north);
  instrument.send('$POS,1,2*00\r\n');
  await countTo(line, 'checksumFaults', 2);
  const [damaged] = await advanceUntil(clock, silent);
  assert.equal(damaged?.failure?.code, 'SERIAL_CHECKSUM_MISMATCH');
});

test('an answer that says no refuses a write at once, and a damaged one leaves its outcome open', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock, checksum: NMEA });
  const write = (value: number) => writeValues(line.driver, [{ channel: SETPOINT, value }], noDeadline());
  const refused = write(500);
  await instrument.expect(seal('S,500'));
  instrument.send(seal('ERR,2'));
  const [no] = await refused;
  assert.deepEqual(
    [no?.failure?.code, no?.failure === undefined ? undefined : no.outcome],
    ['SERIAL_REFUSED', 'REFUSED'],
  );
  assert.match(no?.failure?.message ?? '', /"\$ERR,2"/);
  const done = write(20);
  await instrument.expect(seal('S,20'));
  instrument.send(seal('OK'));
  assert.equal((await done)[0]?.failure, undefined);
  const open = write(30);
  await instrument.expect(seal('S,30'));
  instrument.send('$ERR,2*00\r\n');
  await countTo(line, 'checksumFaults', 1);
  assert.equal((await advanceUntil(clock, open))[0]?.failure?.code, 'SERIAL_WRITE_OUTCOME_UNKNOWN');
  assert.equal(line.driver.counters()['requests'], 3);
});

test('an answer that says no fails a read at once, even where it would be a value', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock, refuse: '^E[0-9]' });
  const text = createChannel({ request: 'N\\r\\n', response: { pattern: '^(.*)$' } }, 'STRING');
  const reading = line.read(text);
  await instrument.expect('N\r\n');
  instrument.send('E12\r\n');
  assert.equal((await reading)[0]?.failure?.code, 'SERIAL_REFUSED');
  const next = line.read(text);
  await instrument.expect('N\r\n');
  instrument.send('12\r\n');
  assert.equal((await next)[0]?.value, '12');
  assert.equal(line.driver.counters()['refusals'], 1);
});

test('several channels of one answer cost the instrument one request', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  await using line = await connectDriver(pair.gateway, { checksum: NMEA });
  const part = (pattern: string) => createChannel({ request: '$M*{checksum}\\r\\n', response: { pattern } });
  const reading = line.read(part('^\\$M,([^,]*)'), part('^\\$M,[^,]*,([^,]*)'), part('^\\$M,.*,([^,]*)$'));
  await instrument.expect(seal('M'));
  instrument.send(seal('M,230.1,5.2,50.01'));
  assert.deepEqual(
    (await reading).map(({ value }) => value),
    [230.1, 5.2, 50.01],
  );
  assert.equal(instrument.received, '');
  assert.equal(line.driver.counters()['requests'], 1);
});

test('a checksum after the delimiter may be any byte, the delimiter as well', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const framing = { type: 'delimiter', delimiter: '\\x03' };
  const checksum = { kind: 'XOR', from: 1, afterDelimiter: true };
  await using line = await connectDriver(pair.gateway, { framing, checksum });
  const channel = createChannel(
    {
      request: '\\x02R\\x03{checksum}',
      response: { pattern: '^\\x02([A-Z]+)$' },
    },
    'STRING',
  );
  for (const text of ['AA', 'AB', 'OK']) {
    const reading = line.read(channel);
    await instrument.expect('\x02R\x03Q');
    const sum = [...Buffer.from(`${text}\x03`)].reduce((total, byte) => total ^ byte, 0);
    instrument.send(`\x02${text}\x03${String.fromCharCode(sum)}`);
    assert.equal((await reading)[0]?.value, text);
  }
});
