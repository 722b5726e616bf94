import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { ChannelWrite } from '../../../daemon/plant/asset/write/prepared-write.ts';
import type { ChannelFailure, ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import { answerFrame, createFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultRequest, FaultServer } from '../../support/modbus-fault-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed();

/** What a device does with the value of a write, and whether it answers. */
interface Behaviour {
  take?: (value: number) => number | undefined;
  isSilentAfterWrite?: boolean;
  /** Called with each value that was written, before it is confirmed. */
  onWrite?: () => void;
}

/** Starts a device with registers that hold their offset until they are written. */
async function startDevice(t: TestContext, behaviour: Behaviour = {}): Promise<FaultServer> {
  const registers = new Map<number, number>();
  const server = await startFaultServer((request: FaultRequest, connection) => {
    const { pdu } = request;
    const [functionCode = 0] = pdu;
    const offset = pdu.readUInt16BE(1);
    if (functionCode === 6) {
      const { take = (value) => value, isSilentAfterWrite = false } = behaviour;
      const taken = take(pdu.readUInt16BE(3));
      if (taken !== undefined) registers.set(offset, taken);
      behaviour.onWrite?.();
      if (!isSilentAfterWrite) connection.send(answerFrame(request));
      return;
    }
    const quantity = pdu.readUInt16BE(3);
    const answer = Buffer.alloc(2 + 2 * quantity);
    answer[0] = functionCode;
    answer[1] = 2 * quantity;
    for (let index = 0; index < quantity; index += 1) {
      answer.writeUInt16BE(registers.get(offset + index) ?? offset + index, 2 + 2 * index);
    }
    connection.send(createFrame({ ...request, pdu: answer }));
  });
  t.after(() => server.close());
  return server;
}

const channel = (name: string, offset: number, more: object = {}): object => ({
  name,
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
  ...more,
});

async function openAsset(t: TestContext, port: number, write: object, settings: object = {}) {
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port, ...settings }],
    assets: [
      {
        pid: 'pump',
        driver: 'line',
        channels: [
          channel('setpoint', 10, { write }),
          channel('level', 50),
          channel('beside', 51),
          channel('other', 90),
        ],
      },
    ],
  });
  return registry.get('pump');
}

const setpoint = (value: number, more: Partial<ChannelWrite> = {}): ChannelWrite => ({
  name: 'setpoint',
  valueType: 'INTEGER',
  value,
  ...more,
});

const summarize = (records: readonly ChannelRecord[]): readonly unknown[] =>
  records.flatMap(({ outcome, failure, readBack }) =>
    [outcome, failure?.code, readBack].filter((part) => part !== undefined),
  );

/** The requests as function code, address and, of a write, value. */
const wire = ({ requests }: FaultServer): readonly string[] =>
  requests.map(({ pdu }) => {
    const head = `${pdu[0] ?? 0}@${pdu.readUInt16BE(1)}`;
    return pdu[0] === 6 ? `${head}=${pdu.readUInt16BE(3)}` : head;
  });

test('conditions and present value are read in the turn of the write, and the value is read back after it', async (t) => {
  const server = await startDevice(t);
  const onlyIf = [{ channel: 'level', operator: 'LESS_THAN', value: 60 }];
  const asset = await openAsset(t, server.port, { maximumStep: 5, onlyIf, verify: {} });
  assert.deepEqual(summarize(await asset.write([setpoint(12)])), ['VERIFIED', 12]);
  assert.deepEqual(wire(server), ['3@10', '3@50', '6@10=12', '3@10']);
});

test('no other write comes between what a write depends on and the write, however many are sent at once', async (t) => {
  const server = await startDevice(t);
  const onlyIf = [{ channel: 'level', operator: 'LESS_THAN', value: 60 }];
  const asset = await openAsset(t, server.port, { onlyIf }, { pipelineDepth: 8 });
  await asset.readAll();
  const before = server.requests.length;
  const other = (value: number): ChannelWrite => ({ name: 'other', valueType: 'INTEGER', value });
  const all = Array.from({ length: 5 }, (_, index) => [
    asset.write([setpoint(20 + index)]),
    asset.write([other(index)]),
  ]);
  const records = (await Promise.all(all.flat())).flat();
  assert.deepEqual(new Set(records.map(({ outcome }) => outcome)), new Set(['ACKNOWLEDGED']));
  const sent = wire(server).slice(before);
  for (const [index, request] of sent.entries()) {
    if (request.startsWith('6@10=')) assert.equal(sent[index - 1], '3@50');
  }
});

test('two writers with the same ifValue: one of them writes', async (t) => {
  const server = await startDevice(t);
  const asset = await openAsset(t, server.port, {}, { pipelineDepth: 8 });
  const writes = [20, 21, 22].map((value) => asset.write([setpoint(value, { ifValue: 10 })]));
  const outcomes = (await Promise.all(writes)).flatMap(summarize);
  assert.equal(outcomes.filter((outcome) => outcome === 'ACKNOWLEDGED').length, 1);
  assert.equal(wire(server).filter((request) => request.startsWith('6@')).length, 1);
});

test('a trial sends no function code that writes', async (t) => {
  const server = await startDevice(t);
  const onlyIf = [{ channel: 'level', operator: 'LESS_THAN', value: 60 }];
  const asset = await openAsset(t, server.port, { maximumStep: 5, onlyIf, verify: {} });
  const other: ChannelWrite = { name: 'other', valueType: 'INTEGER', value: 1 };
  const records = await asset.write([setpoint(12), other, setpoint(99)], '', { isDryRun: true });
  assert.deepEqual(
    records.map(({ failure }) => failure?.code),
    [undefined, undefined, 'WRITE_STEP_EXCEEDED'],
  );
  assert.deepEqual(new Set(server.requests.map(({ pdu }) => pdu[0])), new Set([3]));
});

for (const settings of [{}, { pipelineDepth: 8 }]) {
  test(`a write that was withdrawn while it waited is not sent, the others are: ${JSON.stringify(settings)}`, async (t) => {
    let isOver = false;
    const server = await startDevice(t, { onWrite: () => (isOver = true) });
    const asset = await openAsset(t, server.port, { maximumStep: 50 }, settings);
    const findCancellation = (): ChannelFailure | undefined =>
      isOver ? { code: 'WRITE_CLIENT_GONE', message: 'it is over' } : undefined;
    const value = (name: string, more: Partial<ChannelWrite> = {}) => ({ ...setpoint(12, more), name });
    const records = await Promise.all([
      asset.write([value('other', { findCancellation })]),
      asset.write([value('other', { findCancellation }), value('level')]),
      asset.write([value('setpoint', { findCancellation })]),
    ]);
    assert.deepEqual(records.map(summarize), [
      ['ACKNOWLEDGED'],
      ['NOT_SENT', 'WRITE_CLIENT_GONE', 'ACKNOWLEDGED'],
      ['NOT_SENT', 'WRITE_CLIENT_GONE'],
    ]);
    const writes = wire(server).filter((request) => request.startsWith('6@'));
    assert.deepEqual(writes, ['6@90=12', '6@50=12']);
  });
}

test('values that go out together are sent without the one that was withdrawn', async (t) => {
  const server = await startDevice(t);
  const asset = await openAsset(t, server.port, {}, {});
  const failure = { code: 'WRITE_CLIENT_GONE', message: 'it is over' } as const;
  let asked = 0;
  // Wanted when the request is made up, and no longer when it may go out.
  const findCancellation = (): ChannelFailure | undefined => ((asked += 1) > 1 ? failure : undefined);
  const beside = { ...setpoint(7, { findCancellation }), name: 'beside' };
  const records = await asset.write([{ ...setpoint(6), name: 'level' }, beside]);
  assert.deepEqual(summarize(records), ['ACKNOWLEDGED', 'NOT_SENT', 'WRITE_CLIENT_GONE']);
  assert.deepEqual(wire(server), ['6@50=6']);
});

test('a device that clips the value has refused it', async (t) => {
  const server = await startDevice(t, { take: (value) => Math.min(value, 15) });
  const asset = await openAsset(t, server.port, { verify: { withinMs: 50 } });
  assert.deepEqual(summarize(await asset.write([setpoint(40)])), ['REFUSED', 'WRITE_READ_BACK_DIFFERS', 15]);
  assert.deepEqual(summarize(await asset.write([setpoint(14)])), ['VERIFIED', 14]);
});

test('a write whose confirmation is lost is verified by reading, and never sent again', async (t) => {
  const server = await startDevice(t, { isSilentAfterWrite: true });
  const asset = await openAsset(t, server.port, { verify: {} }, { responseTimeoutMs: 200 });
  assert.deepEqual(summarize(await asset.write([setpoint(40)])), ['VERIFIED', 40]);
  assert.equal(wire(server).filter((request) => request.startsWith('6@')).length, 1);
});

test('a device that is silent and does nothing leaves the outcome unknown, and shows what it holds', async (t) => {
  const behaviour = { isSilentAfterWrite: true, take: () => undefined };
  const server = await startDevice(t, behaviour);
  const asset = await openAsset(t, server.port, { verify: { withinMs: 50 } }, { responseTimeoutMs: 200 });
  const expected = ['UNKNOWN', 'MODBUS_WRITE_OUTCOME_UNKNOWN', 10];
  assert.deepEqual(summarize(await asset.write([setpoint(40)])), expected);
  assert.equal(wire(server).filter((request) => request.startsWith('6@')).length, 1);
});

for (const [name, startServer] of PYMODBUS_SERVERS) {
  const { test: testWith } = testsThatNeed(name);

  testWith(`a device of ${name} is written under terms, bits of a register included`, async (t) => {
    const server = await startServer();
    t.after(() => server.close());
    const registry = await openPlant(t, {
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: server.port }],
      assets: [
        {
          pid: 'pump',
          driver: 'line',
          channels: [
            channel('setpoint', 10, { write: { maximum: 100, maximumStep: 50, verify: {} } }),
            channel('enable', 20, {
              valueType: 'BOOLEAN',
              address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 20, dataType: 'BOOLEAN', bit: 0 },
              write: { verify: {}, onlyIf: [{ channel: 'setpoint', value: 42 }] },
            }),
          ],
        },
      ],
    });
    const asset = registry.get('pump');
    const enable: ChannelWrite = { name: 'enable', valueType: 'BOOLEAN', value: true };
    assert.deepEqual(summarize(await asset.write([enable])), ['NOT_SENT', 'WRITE_CONDITION_FALSE']);
    assert.deepEqual(summarize(await asset.write([setpoint(61)])), ['NOT_SENT', 'WRITE_STEP_EXCEEDED']);
    assert.deepEqual(summarize(await asset.write([setpoint(42, { ifValue: 10 })])), ['VERIFIED', 42]);
    assert.deepEqual(summarize(await asset.write([enable])), ['VERIFIED', true]);
  });
}
