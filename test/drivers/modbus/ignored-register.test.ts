import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { z } from '../../../daemon/base/schema.ts';
import type { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import {
  connectDriverTo,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { needs } from '../../support/tests-that-need.ts';

const IGNORED = 37;
// Two silences, a halving of sixteen values down to one, and some that an address which is due takes.
const ROUNDS = 12;
// A server on a busy machine needs 200 at times.
const RESPONSE_TIMEOUT_MS = 500;

type Settings = z.input<typeof configSchema>;

type Start = (typeof PYMODBUS_SERVERS)[number][1];

async function startNetwork(
  t: TestContext,
  start: Start,
  transport: 'tcp' | 'rtu-over-tcp',
): Promise<Settings> {
  const server = await start(transport, 'ignoring');
  t.after(() => server.close());
  return { transport, host: '127.0.0.1', port: server.port, responseTimeoutMs: RESPONSE_TIMEOUT_MS };
}

async function startLine(t: TestContext, start: Start, transport: 'rtu' | 'ascii'): Promise<Settings> {
  const pair = await openSerialPair();
  const server = await start(transport, pair.instrument, 'ignoring');
  t.after(async () => {
    await server.close();
    await pair[Symbol.asyncDispose]();
  });
  return {
    transport,
    device: pair.gateway,
    dataBits: 8,
    parity: 'none',
    responseTimeoutMs: RESPONSE_TIMEOUT_MS,
  };
}

const TRANSPORTS: Readonly<Record<string, (t: TestContext, start: Start) => Promise<Settings>>> = {
  tcp: (t, start) => startNetwork(t, start, 'tcp'),
  'rtu-over-tcp': (t, start) => startNetwork(t, start, 'rtu-over-tcp'),
  rtu: (t, start) => startLine(t, start, 'rtu'),
  ascii: (t, start) => startLine(t, start, 'ascii'),
};
const COUNTERPARTS = PYMODBUS_SERVERS.flatMap(([name, start]) =>
  Object.entries(TRANSPORTS).map(([transport, lay]) => ({ name, start, transport, lay })),
);

for (const { name, start, transport, lay } of COUNTERPARTS) {
  test(
    `of a server on ${name} over ${transport} that ignores a register, that one alone is suspended`,
    needs(name, 'socat'),
    async (t) => {
      await using underTest = await connectDriverTo(await lay(t, start));
      const channels = [...createRegisterChannels(30, 16), createChannel({ offset: 500 })];
      const read = underTest.driver.prepareRead(channels);
      for (let round = 0; round < ROUNDS; round += 1) {
        const readings = await read.read(noDeadline());
        assert.equal(readings.at(-1)?.value, 500);
      }
      const readings = await read.read(noDeadline());
      const failed = readings.flatMap(({ failure }, index) => (failure === undefined ? [] : [30 + index]));
      assert.deepEqual(failed, [IGNORED]);
      const [unit] = underTest.driver.unitStatus();
      assert.equal(unit?.state, 'ANSWERING');
      assert.deepEqual(
        unit.silentAddresses?.map(({ address, operation }) => [address, operation]),
        [[`HOLDING_REGISTERS ${IGNORED}`, 'READ']],
      );
    },
  );
}
