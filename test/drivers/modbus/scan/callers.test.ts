import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextImmediate } from 'node:timers/promises';

import type { ScanEvent, Settings } from '../../../../daemon/channel/discovery.ts';
import type { Undelivered } from '../../../../drivers/link/byte-link.ts';
import type { IncomingConnection } from '../../../../drivers/link/incoming-connection.ts';
import { systemLinks } from '../../../../drivers/link/links.ts';
import { configSchema } from '../../../../drivers/modbus/modbus-config.ts';
import { createModbusDriverFactory } from '../../../../drivers/modbus/modbus-driver.ts';
import { optionsSchema } from '../../../../drivers/modbus/scan/scan-options.ts';
import { createDriverContext } from '../../../support/driver-context.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { noDeadline } from '../../../support/modbus-driver-under-test.ts';

/** A device that connects; its bytes arrive at once. */
class Device implements IncomingConnection {
  readonly address: string;
  readonly sent: string[] = [];
  closed: 'OPEN' | 'CLOSED' | Undelivered = 'OPEN';
  #events: Parameters<IncomingConnection['receive']>[0] | undefined;

  constructor(address: string) {
    this.address = address;
  }

  receive(events: Parameters<IncomingConnection['receive']>[0]): void {
    this.#events = events;
  }

  send(bytes: Uint8Array): void {
    this.sent.push(Buffer.from(bytes).toString('hex'));
  }

  close(undelivered?: Undelivered): void {
    this.closed = undelivered ?? 'CLOSED';
  }

  says(text: string): void {
    this.#events?.onChunk(Buffer.from(text, 'latin1'));
  }

  hangsUp(): void {
    this.#events?.onClose(new Error('closed by the far end'));
  }
}

const GIVEN = { transport: 'tcp-listen', listenPort: 5020 };

function openBench(options: Settings = {}) {
  const clock = new ManualClock();
  const events: ScanEvent[] = [];
  const open = new Map<number, (connection: IncomingConnection) => void>();
  const links = {
    ...systemLinks,
    listenForDevices: (port: number, onConnection: (connection: IncomingConnection) => void) => {
      open.set(port, onConnection);
      return Promise.resolve({ close: () => void open.delete(port) });
    },
  };
  const factory = createModbusDriverFactory(links);
  const ending = new AbortController();
  const context = createDriverContext({ clock });
  return {
    clock,
    open,
    stop: () => ending.abort(),
    createDriver: (settings: Settings) => factory.create(configSchema.parse(settings), context),
    search: () =>
      factory.discovery?.findSettings?.(GIVEN, {
        options: optionsSchema.parse(options),
        context,
        report: (event) => events.push(event),
        signal: ending.signal,
      }),
    call: (address: string): Device => {
      const device = new Device(address);
      open.get(5020)?.(device);
      return device;
    },
    pass: async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        await nextImmediate();
        clock.advance(1000);
      }
      await nextImmediate();
    },
    found: () => events.flatMap((event) => (event.type === 'found' ? [[event.subject, event.text]] : [])),
  };
}

for (const [title, act, identify, text] of [
  [
    'sends a packet',
    (device: Device) => device.says('DTU01'),
    { registration: 'DTU01' },
    'sent DTU01 first; identify: { registration: "DTU01" }',
  ],
  [
    'sends bytes',
    (device: Device) => device.says('\0P\x02'),
    { registration: 'hex:005002' },
    'sent hex:005002 first; identify: { registration: "hex:005002" }',
  ],
  [
    'sends text that looks like digits',
    (device: Device) => device.says('hex:no'),
    { registration: 'hex:6865783a6e6f' },
    'sent hex:6865783a6e6f first; identify: { registration: "hex:6865783a6e6f" }',
  ],
  [
    'sends nothing',
    () => undefined,
    { address: '198.51.100.7' },
    'sends nothing; identify: { address: "198.51.100.7" }',
  ],
] as const) {
  test(`a device that ${title} is reported, and its driver takes its connection`, async () => {
    const bench = openBench();
    const search = bench.search();
    await bench.pass(1);
    const device = bench.call('198.51.100.7');
    act(device);
    await bench.pass(60);
    const settings = await search;
    assert.deepEqual(settings, { ...GIVEN, identify });
    assert.deepEqual(bench.found(), [['198.51.100.7', text]]);
    assert.deepEqual(configSchema.parse(settings).transport, 'tcp-listen');
    const driver = bench.createDriver(settings ?? {});
    await driver.connect(noDeadline(), () => undefined);
    assert.equal(device.closed, 'OPEN');
    await bench.pass(11);
    assert.deepEqual([device.closed, bench.open.has(5020)], ['OPEN', true]);
    await driver.disconnect();
    driver.close?.();
    await bench.pass(1);
    assert.equal(bench.open.has(5020), false);
  });
}

test('a packet in pieces is one, and one that is sent again is a heartbeat', async () => {
  const bench = openBench();
  const search = bench.search();
  await bench.pass(1);
  const device = bench.call('198.51.100.7');
  for (let beat = 0; beat < 3; beat += 1) {
    device.says('DT');
    device.says('U01');
    await bench.pass(10);
  }
  await bench.pass(40);
  assert.deepEqual(await search, { ...GIVEN, identify: { heartbeat: 'DTU01' } });
  assert.deepEqual(
    bench.found().map(([, text]) => text),
    [
      'sent DTU01 first; identify: { registration: "DTU01" }',
      'sends DTU01 again and again; identify: { heartbeat: "DTU01" }',
    ],
  );
});

test('a device that calls again is one, several devices are reported and none is chosen', async () => {
  const bench = openBench();
  const search = bench.search();
  await bench.pass(1);
  for (const packet of ['DTU01', 'DTU01', 'DTU02']) {
    const device = bench.call('198.51.100.7');
    device.says(packet);
    await bench.pass(1);
    device.hangsUp();
  }
  await bench.pass(60);
  assert.equal(await search, undefined);
  assert.equal(bench.found().length, 2);
  assert.equal(bench.open.has(5020), false);
});

test('connections beyond 32 are refused, and the end of the search closes the others', async () => {
  const bench = openBench();
  const search = bench.search();
  await bench.pass(1);
  const devices = Array.from({ length: 34 }, (_, index) => bench.call(`198.51.100.${index + 1}`));
  assert.deepEqual(
    devices.slice(31).map(({ closed }) => closed),
    ['OPEN', 'TAKEN_BACK', 'TAKEN_BACK'],
  );
  bench.stop();
  assert.equal(await search, undefined);
  assert.equal(devices[0]?.closed, 'CLOSED');
  await bench.pass(1);
  assert.equal(bench.open.has(5020), false);
});

test('a device that a driver expects is not part of the search, and its port stays open', async () => {
  const bench = openBench({ waitSeconds: 10 });
  const driver = bench.createDriver({ ...GIVEN, identify: { registration: 'DTU01' } });
  const connecting = driver.connect(noDeadline(), () => undefined);
  const search = bench.search();
  await bench.pass(1);
  const [own, other] = [bench.call('198.51.100.1'), bench.call('198.51.100.2')];
  own.says('DTU01');
  other.says('DTU02');
  await connecting;
  await bench.pass(10);
  assert.deepEqual(await search, { ...GIVEN, identify: { registration: 'DTU02' } });
  await bench.pass(11);
  // No driver took the connection in time.
  assert.deepEqual([own.closed, other.closed, bench.open.has(5020)], ['OPEN', 'CLOSED', true]);
  await driver.disconnect();
  driver.close?.();
});
