import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { SimulatedPlant } from '../../../daemon/simulator/plant-memory.ts';
import { openModbusUdp } from '../../../daemon/simulator/plant-modbus.ts';
import { encodeFrame } from '../../../drivers/modbus/pdu/mbap.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import { writeValues } from '../../support/write-values.ts';

async function open(t: TestContext): Promise<number> {
  const served = await openModbusUdp(new SimulatedPlant(), '127.0.0.1', 0);
  t.after(() => served.close());
  return Number(served.endpoint.split(':')[1]);
}

test('the driver reads and writes the simulated plant over UDP', async (t) => {
  const port = await open(t);
  await using underTest = await connectDriverTo({ transport: 'udp', host: '127.0.0.1', port });
  const setpoint = createChannel();
  const read = async (offset: number): Promise<Reading | undefined> =>
    (await underTest.driver.prepareRead([createChannel({ offset })]).read(noDeadline()))[0];
  assert.equal((await read(0))?.value, 600);
  await writeValues(underTest.driver, [{ channel: setpoint, value: 655 }], noDeadline());
  assert.equal((await read(0))?.value, 655);
  assert.equal((await read(50))?.failure?.code, 'MODBUS_ILLEGAL_DATA_ADDRESS');
});

test('a datagram that is not one frame gets no response, and the next one does', async (t) => {
  const port = await open(t);
  const client = createSocket('udp4');
  t.after(() => client.close());
  const request = encodeFrame(7, 1, Buffer.from([3, 0, 0, 0, 1]));
  const received = once(client, 'message');
  const broken = [
    Buffer.alloc(0),
    request.subarray(0, -1),
    Buffer.concat([request, request]),
    Buffer.alloc(300),
  ];
  for (const bytes of [...broken, request]) client.send(bytes, port, '127.0.0.1');
  const [response] = (await received) as [Buffer];
  assert.equal(response.toString('hex'), '0007000000050103020258');
});

test('a UDP port in use is named together with the option', async (t) => {
  const port = await open(t);
  await assert.rejects(openModbusUdp(new SimulatedPlant(), '127.0.0.1', port), {
    code: 'PORT_UNAVAILABLE',
    detail: `UDP port ${port} is in use by another program; choose another port with --port`,
  });
});
