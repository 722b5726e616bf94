import assert from 'node:assert/strict';
import { test } from 'node:test';

import { UsageError } from '../../../../daemon/cli/command-error.ts';
import { parseMeterTarget, parseModbusTarget } from '../../../../daemon/cli/discover/scan-target.ts';

test('a target is a serial line, a host with a port or without, or a port of the gateway', () => {
  for (const [target, settings, name] of [
    ['/dev/ttyUSB0', { transport: 'rtu', device: '/dev/ttyUSB0' }, 'ttyUSB0'],
    ['192.0.2.20', { host: '192.0.2.20' }, 'modbus-192.0.2.20'],
    ['plc:1502', { host: 'plc', port: 1502 }, 'modbus-plc-1502'],
    ['2001:db8::7', { host: '2001:db8::7' }, 'modbus-2001-db8--7'],
    [':5020', { transport: 'tcp-listen', listenPort: 5020 }, 'modbus-port-5020'],
    ['[2001:db8::7]:502', { host: '2001:db8::7', port: 502 }, 'modbus-2001-db8--7-502'],
  ] as const) {
    assert.deepEqual(parseModbusTarget(target), { settings, name });
  }
});

test('anything else is an error of usage', () => {
  for (const target of ['', ':502', ':65536', 'plc:0', 'plc:65536', 'plc:x', 'http://plc', '[::1', 'a b']) {
    assert.throws(() => parseModbusTarget(target), UsageError, target);
  }
});

test('a target of a search for meters is a serial line', () => {
  const { settings, name } = parseMeterTarget('/dev/serial/by-id/usb-head');
  assert.deepEqual(
    [settings, name],
    [{ device: '/dev/serial/by-id/usb-head', framing: { type: 'IEC62056_21' } }, 'usb-head'],
  );
  assert.throws(() => parseMeterTarget('ttyUSB0'), UsageError);
});
