import assert from 'node:assert/strict';
import { createReadStream, createWriteStream } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { appendCrc } from '../../../../drivers/modbus/pdu/crc.ts';

import { PYMODBUS_SERVERS } from '../../../support/pymodbus-server.ts';
import { openSerialPair } from '../../../support/serial-pair.ts';
import { needs } from '../../../support/tests-that-need.ts';
import { openModbusScan } from './scan-bench.ts';

for (const [name, start] of PYMODBUS_SERVERS) {
  test(
    `${name} in RTU mode is found on a serial line, with its identification`,
    needs('socat', name),
    async (t) => {
      const pair = await openSerialPair();
      t.after(() => pair[Symbol.asyncDispose]());
      const device = await start('rtu', pair.instrument);
      t.after(() => device.close());
      const { scan } = await openModbusScan(t);
      const options = { units: '0,1', ranges: false };
      const found = await scan({ transport: 'rtu', device: pair.gateway }, { options });
      // A pseudo terminal has any speed, so the first that is tried is found.
      const line = { baudRate: 9600, parity: 'none', stopBits: 1 };
      assert.deepEqual(found.connection, {
        type: 'modbus',
        settings: { transport: 'rtu', device: pair.gateway, ...line },
      });
      assert.match(found.texts[0] ?? '', / LINE 9600 bit\/s 8N1; unit 1 responds$/);
      assert.equal(found.texts[1], 'unit 1 UNIT responds');
      assert.match(found.texts[2] ?? '', /^unit 1 IDENTIFICATION Pymodbus, PM, .*Test Server$/);
      assert.deepEqual(
        found.assets.map(({ pid, displayName }) => [pid, displayName]),
        [['test-server', 'Pymodbus Test Server, unit 1']],
      );
      assert.match(found.notes.join(' '), /Unit 0 /);
    },
  );

  test(`${name} is found over the network, with the ranges that it has`, needs(name), async (t) => {
    const device = await start();
    t.after(() => device.close());
    const { scan } = await openModbusScan(t);
    const found = await scan({ host: '127.0.0.1', port: device.port }, { options: { units: '1' } });
    assert.match(found.texts[1] ?? '', /^unit 1 IDENTIFICATION Pymodbus, PM, /);
    assert.deepEqual(found.texts.slice(-2), [
      'unit 1 RANGE INPUT_REGISTERS 0-999',
      'unit 1 RANGE HOLDING_REGISTERS 0-999',
    ]);
  });
}

test('pymodbus that takes short requests only is found whole', needs('pymodbus'), async (t) => {
  const device = await PYMODBUS_SERVERS[0][1]('tcp', 'limited');
  t.after(() => device.close());
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: '127.0.0.1', port: device.port }, { options: { units: '1' } });
  assert.deepEqual(found.texts.slice(-4), [
    'unit 1 RANGE COILS 0-999',
    'unit 1 RANGE DISCRETE_INPUTS 0-999',
    'unit 1 RANGE INPUT_REGISTERS 0-999',
    'unit 1 RANGE HOLDING_REGISTERS 0-999',
  ]);
  assert.match(found.notes.join(' '), /more than 40 addresses are refused/);
});

test('what is given of the form of the characters is not searched', needs('socat', 'pymodbus'), async (t) => {
  const pair = await openSerialPair();
  t.after(() => pair[Symbol.asyncDispose]());
  const device = await PYMODBUS_SERVERS[0][1]('rtu', pair.instrument);
  t.after(() => device.close());
  const { scan } = await openModbusScan(t);
  const line = { transport: 'rtu', device: pair.gateway };
  const call = { options: { units: '1', ranges: false } };
  const speed = await scan({ ...line, baudRate: 38_400 }, call);
  assert.deepEqual(speed.connection?.settings, { ...line, baudRate: 38_400, parity: 'none', stopBits: 1 });
  const parity = await scan({ ...line, parity: 'odd' }, call);
  assert.deepEqual(parity.connection?.settings, { ...line, baudRate: 9600, parity: 'odd', stopBits: 1 });
  const both = await scan({ ...line, baudRate: 2400, parity: 'even' }, call);
  assert.deepEqual(both.connection?.settings, { ...line, baudRate: 2400, parity: 'even' });
  assert.ok(!both.texts.some((text) => text.includes(' LINE ')));
});

/** A device on the far end of a line, which makes its answer from each request. */
async function openLine(t: TestContext, answer: (request: Buffer) => Buffer | undefined) {
  const pair = await openSerialPair();
  t.after(() => pair[Symbol.asyncDispose]());
  const received = createReadStream(pair.instrument);
  const sending = createWriteStream(pair.instrument);
  t.after(() => {
    received.destroy();
    sending.destroy();
  });
  const requests: Buffer[] = [];
  sending.on('error', () => undefined);
  received
    .on('error', () => undefined)
    .on('data', (chunk) => {
      const request = Buffer.from(chunk);
      requests.push(request);
      const bytes = answer(request);
      if (bytes !== undefined) sending.write(bytes);
    });
  return { device: pair.gateway, requests };
}

test('a line that answers garbage is not found', needs('socat'), async (t) => {
  // The right unit, function and length; only the check sum is wrong.
  const { device, requests } = await openLine(t, (request) =>
    Buffer.from([request[0] ?? 0, 3, 2, 0, 7, 0xaa, 0xbb]),
  );
  const { scan } = await openModbusScan(t);
  const given = { transport: 'rtu', device, parity: 'none', stopBits: 1 };
  const found = await scan(given, { options: { units: '1', ranges: false } });
  assert.deepEqual([found.connection, found.texts, found.assets], [undefined, [], []]);
  assert.equal(requests.length, 8);
});

test(
  'a single unit among silent ones is found at the first speed, and only reads are sent',
  needs('socat'),
  async (t) => {
    const { device, requests } = await openLine(t, (request) => {
      const [unitId = 0, functionCode = 0] = request;
      if (unitId !== 3) return undefined;
      return appendCrc(3, Buffer.from([functionCode | 0x80, 2]));
    });
    const { scan } = await openModbusScan(t);
    const found = await scan(
      { transport: 'rtu', device, responseTimeoutMs: 500 },
      { options: { units: '2,3', ranges: false } },
    );
    assert.match(found.texts[0] ?? '', / LINE 9600 bit\/s 8N1; unit 3 responds$/);
    assert.deepEqual(found.texts.slice(1), ['unit 3 UNIT responds with exception 2']);
    assert.deepEqual([...new Set(requests.map(([, functionCode]) => functionCode))], [3, 4, 43]);
  },
);

test('a line that is not there fails the search with the reason', async (t) => {
  const { scan } = await openModbusScan(t);
  await assert.rejects(scan({ transport: 'rtu', device: '/nonexistent/line' }), {
    name: 'ConnectionError',
  });
});
