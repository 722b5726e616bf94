import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { z } from '../../../daemon/base/schema.ts';
import { configSchema as modbusSchema } from '../../../drivers/modbus/modbus-config.ts';
import { configSchema as serialSchema } from '../../../drivers/serial/serial-config.ts';

const framing = { type: 'fixedLength', length: 3 };
const LINES: readonly (readonly [name: string, parse: (settings: object) => z.ZodSafeParseResult<object>])[] =
  [
    ['serial', (settings) => serialSchema.safeParse({ device: '/dev/ttyS0', framing, ...settings })],
    ['rtu', (settings) => modbusSchema.safeParse({ transport: 'rtu', device: '/dev/ttyS0', ...settings })],
    [
      'ascii',
      (settings) => modbusSchema.safeParse({ transport: 'ascii', device: '/dev/ttyS0', ...settings }),
    ],
  ];

function faultsOf({ error }: z.ZodSafeParseResult<object>): readonly string[] {
  return error?.issues.map(({ path }) => path.join('.')) ?? [];
}

for (const [name, parse] of LINES) {
  test(`${name}: without settings there is no flow control, and the RS-485 mode stays as it is`, () => {
    const { flowControl, rs485 } = parse({}).data as { flowControl: unknown; rs485: unknown };
    assert.deepEqual({ flowControl, rs485 }, { flowControl: 'none', rs485: undefined });
  });

  test(`${name}: RTS cannot turn the line around and pause the far end`, () => {
    assert.deepEqual(faultsOf(parse({ flowControl: 'rtsCts', rs485: {} })), ['flowControl']);
    assert.deepEqual(faultsOf(parse({ flowControl: 'rtsCts', rs485: { enabled: false } })), []);
  });

  test(`${name}: a pause that the kernel would shorten, and a setting that it does not know, are refused`, () => {
    assert.deepEqual(faultsOf(parse({ rs485: { delayRtsAfterSendMs: 101 } })), ['rs485.delayRtsAfterSendMs']);
    assert.deepEqual(faultsOf(parse({ rs485: { rtsAfterSend: true } })), ['rs485']);
  });
}

test('XON and XOFF are for lines that carry text: in RTU mode every byte may be one of them', () => {
  const accepted = LINES.filter(([, parse]) => parse({ flowControl: 'xonXoff' }).success);
  assert.deepEqual(
    accepted.map(([name]) => name),
    ['serial', 'ascii'],
  );
});

test('a device behind a network has no settings of a line', () => {
  const network = { transport: 'rtu-over-tcp', host: 'device.example' };
  assert.deepEqual(faultsOf(modbusSchema.safeParse({ ...network, rs485: {} })), ['']);
});
