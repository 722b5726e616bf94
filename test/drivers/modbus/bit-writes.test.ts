import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteOutcome } from '../../../daemon/channel/write-step.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import {
  answerFrame,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../../support/modbus-fault-server.ts';
import type { FaultConnection, FaultRequest, FaultServer } from '../../support/modbus-fault-server.ts';
import { startPymodbusServer } from '../../support/pymodbus-server.ts';
import { startLibmodbusLine } from '../../support/libmodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const REGISTER = 5;
const BEFORE = 0b0101_0000_0000_0001;

interface Device extends AsyncDisposable {
  readonly server: FaultServer;
  readonly registers: Map<number, number>;
}

/** Starts a device that holds registers and lacks some functions; `intercept` may answer instead of it. */
async function startDevice(
  lacking: readonly number[] = [],
  intercept: (request: FaultRequest, connection: FaultConnection) => boolean = () => false,
): Promise<Device> {
  const registers = new Map([[REGISTER, BEFORE]]);
  const server = await startFaultServer((request, connection) => {
    if (intercept(request, connection)) return;
    const { pdu } = request;
    const functionCode = pdu[0] ?? 0;
    const offset = pdu.readUInt16BE(1);
    const present = registers.get(offset) ?? 0;
    if (lacking.includes(functionCode)) return connection.send(exceptionFrame(request, 1));
    if (functionCode === 6) registers.set(offset, pdu.readUInt16BE(3));
    if (functionCode === 16) registers.set(offset, pdu.readUInt16BE(6));
    if (functionCode === 22) {
      const [and, or] = [pdu.readUInt16BE(3), pdu.readUInt16BE(5)];
      registers.set(offset, (present & and) | (or & ~and));
    }
    const read = Buffer.from([3, 2, present >> 8, present & 0xff]);
    connection.send(functionCode === 3 ? createFrame({ ...request, pdu: read }) : answerFrame(request));
  });
  return { server, registers, [Symbol.asyncDispose]: () => server.close() };
}

function bitChannel(bit: number, address: Partial<ModbusAddress> = {}) {
  return createChannel({ offset: REGISTER, dataType: 'BOOLEAN', bit, ...address }, 'BOOLEAN');
}

function writeBits(
  { driver }: DriverUnderTest,
  ...bits: readonly (readonly [bit: number, state: boolean])[]
): Promise<readonly WriteOutcome[]> {
  const requests = bits.map(([bit, value]) => ({ channel: bitChannel(bit), value }));
  return writeValues(driver, requests, noDeadline());
}

const codesOf = (outcomes: readonly WriteOutcome[]): readonly (string | undefined)[] =>
  outcomes.map(({ failure }) => failure?.code);

const functionsOf = ({ server }: Device): readonly (number | undefined)[] =>
  server.requests.map(({ pdu }) => pdu[0]);

/** Lets everything happen that needs no clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('bits of one register in one call are one mask write', async () => {
  await using device = await startDevice();
  await using underTest = await connectDriver(device.server.port);
  const outcomes = await writeBits(underTest, [0, false], [1, true], [15, true]);
  assert.deepEqual(codesOf(outcomes), [undefined, undefined, undefined]);
  assert.deepEqual(functionsOf(device), [22]);
  assert.equal(device.registers.get(REGISTER), 0b1101_0000_0000_0010);
});

test('a bit that is switched on and off in one call is two mask writes', async () => {
  await using device = await startDevice();
  await using underTest = await connectDriver(device.server.port);
  await writeBits(underTest, [3, true], [4, true], [3, false]);
  assert.deepEqual(
    device.server.requests.map(({ pdu }) => pdu.readUInt16BE(5)),
    [0b11000, 0],
  );
});

test('with joinWrites false each bit is a mask write of its own', async () => {
  await using device = await startDevice();
  await using underTest = await connectDriver(device.server.port, { joinWrites: false });
  await writeBits(underTest, [3, true], [4, true]);
  assert.deepEqual(functionsOf(device), [22, 22]);
});

for (const [word, position] of [
  ['address', 2],
  ['AND mask', 4],
  ['OR mask', 6],
] as const) {
  test(`a mask write whose answer repeats another ${word} has an unknown outcome`, async () => {
    await using device = await startDevice([], (request, connection) => {
      const pdu = Buffer.from(request.pdu);
      pdu[position] = (pdu[position] ?? 0) ^ 1;
      connection.send(createFrame({ ...request, pdu }));
      return true;
    });
    await using underTest = await connectDriver(device.server.port);
    assert.deepEqual(codesOf(await writeBits(underTest, [3, true])), ['MODBUS_WRITE_OUTCOME_UNKNOWN']);
  });
}

test('a device without mask write gets bits by reading and writing the register, and is not asked again', async () => {
  await using device = await startDevice([22]);
  await using underTest = await connectDriver(device.server.port);
  assert.deepEqual(codesOf(await writeBits(underTest, [1, true], [0, false])), [undefined, undefined]);
  assert.deepEqual(functionsOf(device), [22, 3, 6]);
  assert.equal(device.registers.get(REGISTER), 0b0101_0000_0000_0010);
  assert.deepEqual(codesOf(await writeBits(underTest, [14, false])), [undefined]);
  assert.deepEqual(functionsOf(device), [22, 3, 6, 3, 6]);
  assert.equal(device.registers.get(REGISTER), 0b0001_0000_0000_0010);
  assert.equal(underTest.driver.counters()['readModifyWrites'], 2);
});

test('a bit that is written by reading its register is told as it was before; a mask write reads nothing', async () => {
  await using device = await startDevice([22]);
  await using bench = await connectDriver(device.server.port);
  const outcomes = await writeBits(bench, [0, false], [1, true]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.failure ?? outcome.before),
    [true, false],
  );
  await using masking = await startDevice();
  await using other = await connectDriver(masking.server.port);
  const [outcome] = await writeBits(other, [0, false]);
  assert.ok(outcome?.failure === undefined);
  assert.equal(outcome?.before, undefined);
});

test('what a unit lacks is remembered for this unit, and for five minutes', async () => {
  const clock = new ManualClock();
  await using device = await startDevice([22]);
  await using underTest = await connectDriver(device.server.port, { clock });
  await writeBits(underTest, [1, true]);
  const other = [{ channel: bitChannel(1, { unitId: 8 }), value: true }];
  await writeValues(underTest.driver, other, noDeadline());
  assert.deepEqual(functionsOf(device).slice(3), [22, 3, 6]);
  clock.advance(300_000);
  await writeBits(underTest, [1, false]);
  assert.deepEqual(functionsOf(device).slice(6), [22, 3, 6]);
});

test('a register that refuses every write as an unknown function says nothing about the unit', async () => {
  await using device = await startDevice([6, 16, 22]);
  await using underTest = await connectDriver(device.server.port);
  for (let turn = 0; turn < 2; turn += 1) {
    assert.deepEqual(codesOf(await writeBits(underTest, [1, true])), ['MODBUS_ILLEGAL_FUNCTION']);
  }
  assert.deepEqual(functionsOf(device), [22, 3, 6, 3, 16, 22, 3, 6, 3, 16]);
});

test('a device without functions 22 and 6 gets bits by 3 and 16', async () => {
  await using device = await startDevice([22, 6]);
  await using underTest = await connectDriver(device.server.port);
  for (let turn = 0; turn < 2; turn += 1) await writeBits(underTest, [1, true]);
  assert.deepEqual(functionsOf(device), [22, 3, 6, 3, 16, 3, 16]);
  assert.equal(device.registers.get(REGISTER), BEFORE | 2);
});

for (const depth of [1, 4]) {
  test(`with ${depth} at once nothing of ours is written while a register is read and written`, async () => {
    let release: (() => void) | undefined;
    await using device = await startDevice([], (request, connection) => {
      if (request.pdu[0] !== 3 || release !== undefined) return false;
      const pdu = Buffer.from([3, 2, BEFORE >> 8, BEFORE & 0xff]);
      release = () => connection.send(createFrame({ ...request, pdu }));
      return true;
    });
    await using underTest = await connectDriver(device.server.port, {
      pipelineDepth: depth,
      bitWrite: 'READ_MODIFY_WRITE',
    });
    const bits = writeBits(underTest, [1, true]);
    await device.server.received(1);
    const whole = writeValues(
      underTest.driver,
      [{ channel: createChannel({ offset: REGISTER }), value: 0 }],
      noDeadline(),
    );
    const others = writeBits(underTest, [2, true]);
    await settle();
    assert.deepEqual(functionsOf(device), [3]);
    release?.();
    await Promise.all([bits, whole, others]);
    assert.deepEqual(functionsOf(device), [3, 6, 6, 3, 6]);
    assert.equal(device.registers.get(REGISTER), 4);
  });
}

test('MASK asks for nothing but mask write', async () => {
  await using device = await startDevice([22]);
  await using underTest = await connectDriver(device.server.port, { bitWrite: 'MASK' });
  assert.deepEqual(codesOf(await writeBits(underTest, [1, true], [2, true])), [
    'MODBUS_ILLEGAL_FUNCTION',
    'MODBUS_ILLEGAL_FUNCTION',
  ]);
  assert.deepEqual(functionsOf(device), [22]);
});

test('READ_MODIFY_WRITE of a unit never asks for mask write, and writes by the chosen function', async () => {
  await using device = await startDevice();
  const unit = { unitId: 1, bitWrite: 'READ_MODIFY_WRITE', writeFunction: 'MULTIPLE' } as const;
  await using underTest = await connectDriver(device.server.port, { units: [unit] });
  await writeBits(underTest, [1, true]);
  assert.deepEqual(functionsOf(device), [3, 16]);
  assert.equal(device.registers.get(REGISTER), BEFORE | 2);
});

test('REFUSE sends nothing, and names the unit', async () => {
  await using device = await startDevice();
  await using underTest = await connectDriver(device.server.port, { bitWrite: 'REFUSE' });
  const [outcome] = await writeBits(underTest, [1, true]);
  assert.deepEqual(outcome?.failure, {
    code: 'MODBUS_BIT_WRITE_REFUSED',
    message: 'writing single bits of registers is not allowed for unit 1 (bitWrite: REFUSE)',
  });
  assert.deepEqual(functionsOf(device), []);
});

test('a bit of a register with swapped bytes is found in both ways', async () => {
  for (const bitWrite of ['MASK', 'READ_MODIFY_WRITE'] as const) {
    await using device = await startDevice();
    await using underTest = await connectDriver(device.server.port, { bitWrite });
    const channel = bitChannel(1, { byteOrder: 'LITTLE_ENDIAN' });
    await writeValues(underTest.driver, [{ channel, value: true }], noDeadline());
    assert.equal(device.registers.get(REGISTER), BEFORE | 0x0200, bitWrite);
  }
});

test('a register that cannot be read is not written', async () => {
  await using device = await startDevice([], (request, connection) => {
    if (request.pdu[0] === 3) connection.send(exceptionFrame(request, 2));
    return request.pdu[0] === 3;
  });
  await using underTest = await connectDriver(device.server.port, { bitWrite: 'READ_MODIFY_WRITE' });
  assert.deepEqual(codesOf(await writeBits(underTest, [1, true])), ['MODBUS_ILLEGAL_DATA_ADDRESS']);
  assert.deepEqual(functionsOf(device), [3]);
});

test('a bit whose register does not answer the read before it is not sent, and the others are', async () => {
  const clock = new ManualClock();
  await using device = await startDevice([], ({ pdu }) => pdu[0] === 3);
  await using underTest = await connectDriver(device.server.port, { clock, bitWrite: 'READ_MODIFY_WRITE' });
  const writing = writeValues(
    underTest.driver,
    [
      { channel: bitChannel(1), value: true },
      { channel: createChannel({ offset: 9 }), value: 1 },
    ],
    noDeadline(),
  );
  await device.server.received(1);
  clock.advance(1000);
  const outcomes = await writing;
  assert.deepEqual(codesOf(outcomes), ['MODBUS_NO_RESPONSE', undefined]);
  assert.doesNotMatch(outcomes[0]?.failure?.message ?? '', /outcome unknown/);
  assert.deepEqual(functionsOf(device), [3, 6]);
});

test('a register is read anew when the unit was too busy for the write', async () => {
  let isBusy = true;
  const clock = new ManualClock();
  await using device = await startDevice([], (request, connection) => {
    if (request.pdu[0] !== 6 || !isBusy) return false;
    isBusy = false;
    device.registers.set(REGISTER, 0);
    connection.send(exceptionFrame(request, 6));
    return true;
  });
  await using underTest = await connectDriver(device.server.port, { clock, bitWrite: 'READ_MODIFY_WRITE' });
  const writing = writeBits(underTest, [1, true]);
  await device.server.received(2);
  await settle();
  clock.advance(200);
  assert.deepEqual(codesOf(await writing), [undefined]);
  assert.deepEqual(functionsOf(device), [3, 6, 3, 6]);
  assert.equal(device.registers.get(REGISTER), 2);
});

testsThatNeed('libmodbus', 'socat').test('bits on a serial line are written in both ways', async () => {
  const pair = await openSerialPair();
  const server = await startLibmodbusLine(pair.instrument, { baudRate: 115_200 });
  const states = [true, false] as const;
  for (const [index, bitWrite] of (['MASK', 'READ_MODIFY_WRITE'] as const).entries()) {
    const line = { transport: 'rtu', device: pair.gateway, baudRate: 115_200, parity: 'none' } as const;
    await using underTest = await connectDriverTo({ ...line, bitWrite });
    const channel = bitChannel(9, { offset: 350 });
    await writeValues(underTest.driver, [{ channel, value: states[index] ?? true }], noDeadline());
    const whole = createChannel({ offset: 350 });
    const [reading] = await underTest.driver.prepareRead([whole]).read(noDeadline());
    assert.equal(reading?.value, index === 0 ? 350 | 0x200 : 350 & ~0x200);
  }
  await server.close();
  await pair[Symbol.asyncDispose]();
});

const pymodbus = testsThatNeed('pymodbus');

for (const [name, parameters, counted] of [
  ['with mask write', [], 0],
  ['without mask write', ['tcp', 'maskless'], 1],
] as const) {
  pymodbus.test(`bits written to pymodbus ${name} leave the other bits`, async () => {
    const server = await startPymodbusServer(...parameters);
    await using underTest = await connectDriver(server.port);
    const bits = [
      [0, true],
      [1, false],
      [12, true],
    ] as const;
    const requests = bits.map(([bit, value]) => ({ channel: bitChannel(bit, { offset: 350 }), value }));
    assert.deepEqual(codesOf(await writeValues(underTest.driver, requests, noDeadline())), [
      undefined,
      undefined,
      undefined,
    ]);
    const channel = createChannel({ offset: 350 });
    const [reading] = await underTest.driver.prepareRead([channel]).read(noDeadline());
    assert.equal(reading?.value, (350 & ~2) | 1 | 0x1000);
    assert.equal(underTest.driver.counters()['readModifyWrites'], counted);
    await underTest.driver.disconnect();
    await server.close();
  });
}
