import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PYMODBUS_SERVERS } from '../../../support/pymodbus-server.ts';
import { needs } from '../../../support/tests-that-need.ts';
import { openModbusScan } from './scan-bench.ts';

// The current one answers what it cannot decode, such as function code 23 without a register to write, with a wrong function code.
const ADVICE = {
  pymodbus: /supports function code 23 instead of 3; set readFunction: READ_WRITE, and scratchOffset/,
  'pymodbus-3.16': /; if it supports function code 23, set readFunction: READ_WRITE\./,
} as const;

for (const [name, start] of PYMODBUS_SERVERS) {
  test(
    `against ${name} registers without value are found, and how holding registers are read`,
    needs(name),
    async (t) => {
      const server = await start('tcp', 'sparse');
      t.after(() => server.close());
      const { scan } = await openModbusScan(t);
      const settings = { host: '127.0.0.1', port: server.port };
      const { texts, notes, connection } = await scan(settings, { options: { units: '1' } });
      assert.deepEqual(
        texts.filter((text) => text.includes('NOT_AVAILABLE')),
        ['unit 1 NOT_AVAILABLE INPUT_REGISTERS 100-103: 0x8000, not available?'],
      );
      assert.match(notes.join(' '), ADVICE[name]);
      assert.deepEqual(connection?.settings, settings);
    },
  );
}
