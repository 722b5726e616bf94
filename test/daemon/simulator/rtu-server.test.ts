import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openPseudoTerminal } from '../../../daemon/simulator/pseudo-terminal.ts';
import { appendCrc } from '../../../drivers/modbus/pdu/crc.ts';
import type { Table } from '../../../drivers/modbus/modbus-address.ts';
import type { PlantMemory } from '../../../daemon/simulator/modbus-server.ts';
import { createRtuServer, answerRequest } from '../../../daemon/simulator/rtu-server.ts';
import { createRandom } from '../../support/random.ts';
import { needs } from '../../support/tests-that-need.ts';
import { programOf } from '../../support/tools.ts';

/** Ten entries of each table of unit 1. */
class SmallMemory implements PlantMemory {
  readonly entries = new Map<string, number>();

  constructor() {
    for (const table of ['COILS', 'DISCRETE_INPUTS', 'INPUT_REGISTERS', 'HOLDING_REGISTERS'] as const) {
      const isBits = table === 'COILS' || table === 'DISCRETE_INPUTS';
      for (let offset = 0; offset < 10; offset += 1) {
        this.entries.set(`${table} ${offset}`, isBits ? offset & 1 : offset * 257);
      }
    }
  }

  read(unitId: number, table: Table, offset: number): number | undefined {
    return unitId === 1 ? this.entries.get(`${table} ${offset}`) : undefined;
  }

  write(unitId: number, table: Table, offset: number, value: number): boolean {
    if (this.read(unitId, table, offset) === undefined) return false;
    this.entries.set(`${table} ${offset}`, value);
    return true;
  }
}

const ask = (hex: string, memory = new SmallMemory()): string =>
  answerRequest(memory, 1, Buffer.from(hex, 'hex')).toString('hex');

for (const [what, request, answer] of [
  ['reads coils, the first in the lowest bit', '0100010009', '01025501'],
  ['reads discrete inputs', '0200000003', '020102'],
  ['reads holding registers', '0300010002', '030401010202'],
  ['reads input registers', '0400090001', '04020909'],
  ['refuses an unknown function', '16000000ff0000', '9601'],
  ['refuses an empty request', '', '8001'],
  ['refuses missing entries', '0300090002', '8302'],
  ['refuses entries beyond the end of the table', '03ffff0002', '8302'],
  ['refuses a request for no entries', '0300000000', '8303'],
  ['refuses more registers than an answer holds', '030000007e', '8303'],
  ['refuses a truncated request', '03000000', '8303'],
  ['refuses a coil that is neither on nor off', '0500000001', '8503'],
  ['refuses a wrong byte count', '100000000204000100', '9003'],
  ['refuses more coils than a request holds', '0f000007b1f7', '8f03'],
] as const) {
  test(`answerRequest ${what}`, () => assert.equal(ask(request), answer));
}

for (const [what, request, answer, entry, value] of [
  ['one coil', '050002ff00', '050002ff00', 'COILS 2', 1],
  ['one register', '0600031234', '0600031234', 'HOLDING_REGISTERS 3', 0x1234],
  ['coils', '0f000000020102', '0f00000002', 'COILS 1', 1],
  ['registers', '1000000002040001abcd', '1000000002', 'HOLDING_REGISTERS 1', 0xabcd],
] as const) {
  test(`answerRequest writes ${what}`, () => {
    const memory = new SmallMemory();
    assert.equal(ask(request, memory), answer);
    assert.equal(memory.entries.get(entry), value);
  });
}

test('answerRequest changes nothing when one of the entries is missing', () => {
  const memory = new SmallMemory();
  assert.equal(ask('1000090002040001abcd', memory), '9002');
  assert.deepEqual(memory, new SmallMemory());
});

test('answerRequest answers a defect of the memory with exception 04', () => {
  const memory: PlantMemory = {
    read() {
      throw new Error('broken');
    },
    write: () => false,
  };
  assert.equal(answerRequest(memory, 1, Buffer.from('0300000001', 'hex')).toString('hex'), '8304');
});

function createBench() {
  const sent: string[] = [];
  const memory = new SmallMemory();
  const receive = createRtuServer({
    memory,
    unitIds: [1],
    send: (frame) => sent.push(frame.toString('hex')),
  });
  return { receive, sent };
}

const REQUEST = appendCrc(1, Buffer.from('0300010002', 'hex'));
const ANSWER = appendCrc(1, Buffer.from('030401010202', 'hex')).toString('hex');

test('the server answers requests that arrive in any pieces', () => {
  const { receive, sent } = createBench();
  for (const byte of REQUEST) receive(Buffer.from([byte]));
  receive(Buffer.concat([REQUEST, REQUEST]));
  assert.deepEqual(sent, [ANSWER, ANSWER, ANSWER]);
});

test('the server is silent to other units, to broadcasts and to a wrong CRC, and then continues', () => {
  const { receive, sent } = createBench();
  receive(appendCrc(2, Buffer.from('0300010002', 'hex')));
  receive(appendCrc(0, Buffer.from('0600011234', 'hex')));
  receive(Buffer.from([...REQUEST.subarray(0, -1), 0]));
  assert.deepEqual(sent, []);
  receive(REQUEST);
  assert.deepEqual(sent, [ANSWER]);
});

test('the server answers an unknown function with exception 01', () => {
  const { receive, sent } = createBench();
  receive(appendCrc(1, Buffer.from('16000000ff0000', 'hex')));
  assert.deepEqual(sent, [appendCrc(1, Buffer.from('9601', 'hex')).toString('hex')]);
});

test('the server accepts noise of any kind and then continues', () => {
  const { receive, sent } = createBench();
  const random = createRandom(7);
  for (let chunk = 0; chunk < 1000; chunk += 1) {
    receive(Buffer.from(Array.from({ length: 64 }, () => Math.floor(random() * 256))));
  }
  // An unfinished frame of noise costs the next request at most.
  receive(Buffer.alloc(300));
  sent.length = 0;
  receive(REQUEST);
  receive(REQUEST);
  assert.ok(sent.includes(ANSWER));
});

test('a third-party client reads and writes over a serial line', needs('pymodbus'), async (t) => {
  const memory = new SmallMemory();
  const serve = createRtuServer({ memory, unitIds: [1], send: (frame) => line.send(frame) });
  const line = await openPseudoTerminal({ onChunk: (bytes) => serve(bytes) });
  t.after(() => line.close());
  const script = `
import sys
from pymodbus.client import ModbusSerialClient
client = ModbusSerialClient(port=sys.argv[1], baudrate=19200, timeout=2)
assert client.connect()
print(client.read_holding_registers(1, 2, slave=1).registers)
assert not client.write_register(4, 4711, slave=1).isError()
print(client.read_holding_registers(4, 1, slave=1).registers)
print(client.read_coils(0, 4, slave=1).bits[:4])
client.close()`;
  const { stdout } = await promisify(execFile)(programOf('pymodbus'), ['-c', script, line.path]);
  assert.equal(stdout, '[257, 514]\n[4711]\n[False, True, False, True]\n');
});
