import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { parseCommand } from '../../../../bundles/penstock-mqtt/command/command.ts';
import type { Command, CommandMessage } from '../../../../bundles/penstock-mqtt/command/command.ts';
import { propertyTest } from '../../../property/property-test.ts';

const OWN = { commandTopic: 'p/command', responseTopic: 'p/response' };
const WRITE = { name: 'setpoint', type: 'DOUBLE', value: 21.5 };

const parse = (payload: string | object, more: Partial<CommandMessage> = {}) =>
  parseCommand(
    {
      payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
      isRetained: false,
      ...more,
    },
    OWN,
  );

function commandOf(payload: string | object, more: Partial<CommandMessage> = {}): Command {
  const parsed = parse(payload, more);
  assert.ok('command' in parsed, 'refusal' in parsed ? parsed.refusal.message : '');
  return parsed.command;
}

function refusalOf(payload: string | object, more: Partial<CommandMessage> = {}) {
  const parsed = parse(payload, more);
  assert.ok('refusal' in parsed);
  return { ...parsed.refusal, topic: parsed.replyTo.topic };
}

test('parseCommand reads a write and a read', () => {
  assert.deepEqual(commandOf({ asset: 'boiler', writes: [WRITE] }), {
    asset: 'boiler',
    writes: [WRITE],
    key: undefined,
  });
  assert.deepEqual(commandOf({ asset: 'boiler', channels: ['a', 'b'] }), {
    asset: 'boiler',
    channels: ['a', 'b'],
  });
});

for (const [type, text, value] of [
  ['LONG', '9007199254740993', 9_007_199_254_740_993n],
  ['LONG', '-9223372036854775808', -(2n ** 63n)],
  ['LONG', '"12"', 12n],
  ['LONG', '7', 7n],
  ['INTEGER', '"-5"', -5],
  ['DOUBLE', '18446744073709551616', 2 ** 64],
  ['DOUBLE', '"NaN"', Number.NaN],
  ['FLOAT', '0.1', 0.1],
  ['BYTE_ARRAY', '"AQL/"', new Uint8Array([1, 2, 255])],
  ['STRING', '"1234567890123456789"', '1234567890123456789'],
  ['STRING', '"a \\" 1234567890123456789"', 'a " 1234567890123456789'],
  ['BOOLEAN', 'false', false],
] as const) {
  test(`parseCommand reads ${text} as ${type}`, () => {
    const payload = `{"asset":"a","writes":[{"name":"n","type":"${type}","value":${text},"ifValue":${text}}]}`;
    const command = commandOf(payload);
    assert.ok('writes' in command);
    assert.deepEqual(command.writes, [{ name: 'n', type, value, ifValue: value }]);
  });
}

for (const [payload, expected] of [
  ['', /^not JSON$/],
  ['{', /^not JSON$/],
  ['[]', /^the command: expected an object$/],
  ['null', /^the command: expected an object$/],
  [{ asset: 'a' }, /^expected either "writes" or "channels"$/],
  [{ asset: 'a', writes: [WRITE], channels: ['b'] }, /^expected either/],
  [{ writes: [WRITE] }, /^asset: expected the name of an asset$/],
  [{ asset: 'a', writes: [] }, /^writes: expected a list$/],
  [{ asset: 'a', writes: [{ ...WRITE, value: null }] }, /^writes\[0\]\.value: no DOUBLE$/],
  [{ asset: 'a', writes: [WRITE, { ...WRITE, type: 'X' }] }, /^writes\[1\]\.value: unknown value type "X"$/],
  [{ asset: 'a', writes: [{ ...WRITE, type: 'LONG' }] }, /no LONG$/],
  [{ asset: 'a', writes: [{ ...WRITE, ifvalue: 1 }] }, /^writes\[0\]: unknown member "ifvalue"$/],
  [{ asset: 'a', write: [WRITE] }, /^the command: unknown member "write"$/],
  [{ asset: 'a', channels: [1] }, /^channels: expected a list of names$/],
  [{ asset: 'a', channels: Array.from({ length: 1001 }, () => 'b') }, /^channels: at most 1000 elements$/],
  [{ asset: 'a', channels: ['b'], responseTopic: 'a/#' }, /^responseTopic: the wildcard/],
  [{ asset: 'a', channels: ['b'], responseTopic: 7 }, /^responseTopic: expected text$/],
  [{ asset: 'a', channels: ['b'], responseTopic: 'p/command' }, /^responseTopic: the topic of commands$/],
  [{ asset: 'a', channels: ['b'], correlationData: 7 }, /^correlationData: expected text/],
] as const) {
  test(`parseCommand refuses ${JSON.stringify(payload).slice(0, 70)}, and answers on the usual topic`, () => {
    const { code, message, topic } = refusalOf(payload);
    assert.equal(code, 'COMMAND_MALFORMED');
    assert.match(message, expected);
    assert.equal(topic, 'p/response');
  });
}

test('parseCommand refuses bytes that are not UTF-8', () => {
  assert.equal(refusalOf('', { payload: new Uint8Array([0x22, 0xff, 0x22]) }).message, 'not UTF-8');
});

test('parseCommand refuses a large command, without reading it, where the property says', () => {
  const refusal = refusalOf('x'.repeat(65_537), { responseTopic: 'mine' });
  assert.equal(refusal.code, 'COMMAND_TOO_LARGE');
  assert.equal(refusal.topic, 'mine');
});

test('parseCommand refuses retained commands, which a broker repeats at each connection', () => {
  const refusal = refusalOf({ asset: 'a', writes: [WRITE], responseTopic: 'mine' }, { isRetained: true });
  assert.deepEqual([refusal.code, refusal.topic], ['COMMAND_RETAINED', 'mine']);
});

test('the response goes where the property says, else where the command says', () => {
  const command = { asset: 'a', channels: ['b'], responseTopic: 'json', correlationData: '17' };
  const correlationData = new Uint8Array([1]);
  assert.deepEqual(parse(command, { responseTopic: 'property', correlationData }).replyTo, {
    topic: 'property',
    correlationData,
    correlationText: '17',
  });
  assert.equal(parse(command).replyTo.topic, 'json');
});

test('the key of a write is that of its correlation data and response topic', () => {
  const keyOf = (more: object, properties: Partial<CommandMessage> = {}): string | undefined => {
    const command = commandOf({ asset: 'a', writes: [WRITE], ...more }, properties);
    return 'writes' in command ? command.key : undefined;
  };
  const key = keyOf({ correlationData: '17' });
  assert.match(key ?? '', /^[0-9a-f]{64}$/);
  assert.equal(keyOf({}, { correlationData: Buffer.from('17') }), key);
  assert.notEqual(keyOf({ correlationData: '18' }), key);
  assert.notEqual(keyOf({ correlationData: '17', responseTopic: 'another' }), key);
  assert.equal(keyOf({ correlationData: '' }), undefined);
});

propertyTest(
  'any bytes are a command or a refusal, never an error',
  fc.property(
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
      fc
        .record(
          { asset: fc.jsonValue(), writes: fc.array(fc.jsonValue()), channels: fc.jsonValue() },
          { requiredKeys: [] },
        )
        .map((value) => Buffer.from(JSON.stringify(value))),
    ),
    (payload) => {
      const parsed = parseCommand({ payload, isRetained: false }, OWN);
      assert.notEqual(parsed.replyTo.topic, OWN.commandTopic);
    },
  ),
  5,
);
