import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isInspecting } from '../../../../daemon/channel/driver.ts';
import type { Inspection, InspectingDriver } from '../../../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../../daemon/channel/value-type.ts';
import { listInterpretations } from '../../../../drivers/modbus/value/interpretations.ts';
import type { ModbusAddress } from '../../../../drivers/modbus/modbus-address.ts';
import { startLibmodbusServer } from '../../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../../support/modbus-process.ts';
import { connectDriver, createChannel, noDeadline } from '../../../support/modbus-driver-under-test.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';

const withServer = testsThatNeed('libmodbus');
let server: ModbusProcess;
withServer.before(async () => {
  server = await startLibmodbusServer();
});
withServer.after(() => server.close());

const NOW_MS = Date.UTC(2026, 5, 1);

function interpret(bytes: Buffer, address: Partial<ModbusAddress> = {}, valueType: ValueType = 'INTEGER') {
  return listInterpretations(createChannel(address, valueType), bytes, NOW_MS);
}

function find(bytes: Buffer, wanted: Readonly<Record<string, unknown>>): ChannelValue | undefined {
  const found = interpret(bytes).filter(({ address }) =>
    Object.entries(wanted).every(([key, value]) => address[key] === value),
  );
  assert.ok(found.length <= 1);
  return found[0]?.value;
}

// 123.5 as FLOAT32 is 42 F7 00 00 (IEEE 754).
for (const [hex, byteOrder, wordOrder] of [
  ['42f70000', 'BIG_ENDIAN', 'BIG_ENDIAN'],
  ['000042f7', 'BIG_ENDIAN', 'LITTLE_ENDIAN'],
  ['f7420000', 'LITTLE_ENDIAN', 'BIG_ENDIAN'],
  ['0000f742', 'LITTLE_ENDIAN', 'LITTLE_ENDIAN'],
] as const) {
  test(`listInterpretations finds a float whose bytes are ${byteOrder} and whose words are ${wordOrder}`, () => {
    assert.equal(find(Buffer.from(hex, 'hex'), { dataType: 'FLOAT32', byteOrder, wordOrder }), 123.5);
  });
}

test('listInterpretations has every number type with every order once, as far as the bytes reach', () => {
  const counted = (bytes: number): Readonly<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const { address } of interpret(Buffer.alloc(bytes))) {
      const dataType = address['dataType'] as string;
      counts[dataType] = (counts[dataType] ?? 0) + 1;
    }
    return counts;
  };
  const one = { INT16: 2, UINT16: 2, INT8: 2, UINT8: 2, BCD16: 1, BOOLEAN: 16 };
  const two = { ...one, INT32: 4, UINT32: 4, FLOAT32: 4, BCD32: 2, UINT32_MOD10: 2 };
  const four = { ...two, INT64: 4, UINT64: 4, FLOAT64: 4, BCD64: 2, UINT48_MOD10: 2, UINT64_MOD10: 2 };
  assert.deepEqual(counted(2), one);
  assert.deepEqual(counted(4), two);
  assert.deepEqual(counted(8), four);
});

test('listInterpretations finds text in both byte orders, as long as it can be read', () => {
  const text = Buffer.from('Kessel 7\u0001\u0002', 'utf8');
  assert.equal(find(text, { dataType: 'STRING', byteOrder: 'BIG_ENDIAN' }), 'Kessel 7');
  assert.equal(
    find(text.swap16(), { dataType: 'STRING', byteOrder: 'LITTLE_ENDIAN', length: 8 }),
    'Kessel 7',
  );
  assert.equal(find(Buffer.from([0xff, 0xfe, 0, 0]), { dataType: 'STRING' }), undefined);
});

test('listInterpretations puts the configured meaning first, and only once', () => {
  const bytes = Buffer.from('0001000200030004', 'hex');
  const configured = { dataType: 'INT32', byteOrder: 'LITTLE_ENDIAN', wordOrder: 'LITTLE_ENDIAN' } as const;
  const [first, ...others] = interpret(bytes, configured);
  assert.deepEqual(first?.address, configured);
  assert.equal(first.isConfigured, true);
  assert.ok(others.every(({ isConfigured }) => !isConfigured));
  const same = others.filter(({ address }) => JSON.stringify(address) === JSON.stringify(configured));
  assert.deepEqual(same, []);
});

test('listInterpretations takes configured text and bytes as they are, however unlikely', () => {
  const bytes = Buffer.from([1, 2, 3, 4]);
  const [text] = interpret(bytes, { dataType: 'STRING', length: 3 });
  assert.equal(text?.value, '\u0001\u0002\u0003');
  const [raw] = interpret(bytes, { dataType: 'BYTES', length: 4 });
  assert.deepEqual(raw?.value, bytes);
});

test('listInterpretations finds decimal digits, and none where a digit is above 9', () => {
  const bytes = Buffer.from('1234567811d70000', 'hex');
  assert.equal(find(bytes, { dataType: 'BCD16' }), 1234);
  assert.equal(find(bytes, { dataType: 'BCD32', wordOrder: 'LITTLE_ENDIAN' }), 56_781_234);
  assert.equal(find(bytes, { dataType: 'BCD64', wordOrder: 'BIG_ENDIAN' }), undefined);
  const energy = Buffer.from('11d7007b00000000', 'hex');
  assert.equal(find(energy, { dataType: 'UINT64_MOD10', wordOrder: 'LITTLE_ENDIAN' }), 1_234_567n);
});

test('listInterpretations finds a time of these years as text, and no other', () => {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Date.UTC(2026, 4, 20, 12) / 1000);
  const unix = { dataType: 'UNIX_SECONDS32', byteOrder: 'BIG_ENDIAN', wordOrder: 'BIG_ENDIAN' };
  assert.equal(find(seconds, unix), '2026-05-20T12:00:00.000Z');
  // 1.0 as FLOAT32 would be a second of 2003.
  assert.equal(find(Buffer.from('3f800000', 'hex'), unix), undefined);
  const fields = { dataType: 'YMDHMS_BCD', byteOrder: 'BIG_ENDIAN', wordOrder: 'BIG_ENDIAN' };
  assert.equal(find(Buffer.from('260301120000', 'hex'), fields), '2026-03-01T12:00:00.000Z');
});

test('the float of an instrument is not taken for a time or a text', () => {
  // 12.34 as FLOAT32; its words swapped are a second of 2029, its bytes letters of Latin-1.
  const bytes = Buffer.from('414570a4000000000000000000000000', 'hex');
  const texts = interpret(bytes).filter(({ value }) => typeof value === 'string' && value.length > 2);
  assert.deepEqual(texts, []);
});

test('listInterpretations finds text in Latin-1, but takes no binary numbers for it', () => {
  const text = Buffer.from('Vorlauf für Öl', 'latin1');
  const latin = { dataType: 'STRING', byteOrder: 'BIG_ENDIAN', encoding: 'latin1' };
  assert.equal(find(text, latin), 'Vorlauf für Öl');
  assert.equal(find(Buffer.alloc(8, 0xff), { dataType: 'STRING' }), undefined);
});

test('listInterpretations has the configured array where the bytes reach that far', () => {
  const bytes = Buffer.from('0001000200030004', 'hex');
  const configured = (count: number): unknown =>
    interpret(bytes, { dataType: 'UINT16', count }, 'STRING').find(({ isConfigured }) => isConfigured);
  const address = { dataType: 'UINT16', byteOrder: 'BIG_ENDIAN', count: 4 };
  assert.deepEqual(configured(4), { address, value: '[1,2,3,4]', isConfigured: true });
  assert.equal(configured(5), undefined);
});

test('listInterpretations leaves out how a channel is written', () => {
  const [first] = interpret(Buffer.alloc(2), { writeFunction: 'MULTIPLE', joinWrites: false });
  assert.deepEqual(first?.address, { dataType: 'UINT16', byteOrder: 'BIG_ENDIAN' });
  assert.equal(first.isConfigured, true);
});

test('listInterpretations shows a configured time as the channel shows it', () => {
  const bytes = Buffer.from('00000001', 'hex');
  const value = (valueType: ValueType): unknown =>
    interpret(bytes, { dataType: 'UNIX_SECONDS32' }, valueType)[0]?.value;
  assert.deepEqual([value('STRING'), value('LONG')], ['1970-01-01T00:00:01.000Z', 1000]);
});

test('listInterpretations of a bit table has its bits', () => {
  assert.deepEqual(interpret(Buffer.from([5]), { table: 'COILS', count: 3 }, 'STRING'), [
    { address: { dataType: 'BOOLEAN', count: 3 }, value: '[true,false,true]', isConfigured: true },
  ]);

  assert.deepEqual(interpret(Buffer.from([1]), { table: 'COILS' }), [
    { address: { dataType: 'BOOLEAN' }, value: true, isConfigured: true },
  ]);
});

withServer.test(
  'inspect reads beyond the configured type, and the values are those of the device',
  async () => {
    await using setup = await connectDriver(server.port);
    const inspection = await inspect(setup.driver, 258);
    assert.equal(Buffer.from(inspection.bytes).toString('hex'), '01020103010401050106010701080109');
    const long = inspection.interpretations.find(
      ({ address }) => address['dataType'] === 'UINT32' && address['byteOrder'] === 'BIG_ENDIAN',
    );
    assert.equal(long?.value, 0x0102_0103);
  },
);

withServer.test('inspect reads less where the device has no more registers', async () => {
  await using setup = await connectDriver(server.port);
  assert.equal((await inspect(setup.driver, 59_997)).bytes.length, 4);
  assert.equal((await inspect(setup.driver, 65_534)).bytes.length, 4);
});

withServer.test(
  'inspect of a register that the device does not have is a failure with its exception',
  async () => {
    await using setup = await connectDriver(server.port);
    assert.ok(isInspecting(setup.driver));
    const result = await setup.driver.inspect(createChannel({ offset: 60_000 }), noDeadline());
    assert.equal('failure' in result && result.failure.code, 'MODBUS_ILLEGAL_DATA_ADDRESS');
  },
);

withServer.test('inspect without a link throws ConnectionError', async () => {
  const setup = await connectDriver(server.port);
  await setup.driver.disconnect();
  await assert.rejects(inspect(setup.driver, 0), { name: 'ConnectionError', code: 'NOT_CONNECTED' });
});

async function inspect(driver: object, offset: number): Promise<Inspection> {
  const result = await (driver as InspectingDriver<ModbusAddress>).inspect(
    createChannel({ offset }),
    noDeadline(),
  );
  assert.ok('bytes' in result);
  return result;
}
