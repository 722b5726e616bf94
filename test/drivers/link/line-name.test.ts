import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameLine } from '../../../drivers/link/serial-device.ts';

for (const [device, name] of [
  ['/dev/serial/by-id/usb-FTDI_FT232R-if00-port0', 'usb-FTDI_FT232R-if00-port0'],
  ['/dev/ttyUSB0', 'ttyUSB0'],
  ['/dev/pts/0', 'pts/0'],
  ['/0', '0'],
  ['7', '7'],
] as const) {
  test(`nameLine calls ${device} ${name}`, () => {
    assert.equal(nameLine(device), name);
  });
}
