import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendCrc } from '../../../../drivers/modbus/pdu/crc.ts';

// MODBUS over Serial Line V1.02, 6.2.2: the CRC of 02 07 is 1241 hexadecimal, low byte 41 first.
test('appendCrc adds the checksum of the specification, low byte first', () => {
  assert.equal(appendCrc(2, Buffer.from([7])).toString('hex'), '02074112');
});
