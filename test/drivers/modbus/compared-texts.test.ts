import assert from 'node:assert/strict';

import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('libmodbus');

/** The form of registers, and a value that is written to them; then a text for the same value, and one for another. */
const ROWS: readonly (readonly [address: object, written: string, same: string, other: string])[] = [
  [
    { dataType: 'UNIX_SECONDS32' },
    '2024-03-01T12:00:00Z',
    '2024-03-01T14:00:00+02:00',
    '2024-03-01T14:00:00Z',
  ],
  [{ dataType: 'CP56TIME2A' }, '2024-03-01T12:00:00.5Z', '2024-03-01T12:00:00,500Z', '2024-03-01T12:00:00Z'],
  [{ dataType: 'FLOAT32', count: 2 }, '[0.1, "NaN"]', '["0.10","NaN"]', '[0.1,1]'],
  [{ dataType: 'INT16', count: 3 }, '[ 1, 2,3 ]', '["1",2,3]', '[1,2,4]'],
  [{ dataType: 'STRING', length: 8, padding: 'SPACE' }, 'ab  ', 'ab', 'ab.'],
  [{ dataType: 'STRING', length: 8, padding: 'SPACE', trim: false }, 'ab', 'ab', 'abc'],
  [{ dataType: 'STRING', length: 8 }, '[1.0]', '[1.0]', '[1]'],
];

for (const [form, written, same, other] of ROWS) {
  const name = JSON.stringify(form);
  test(`texts of ${name} are verified, compared and conditions in the form of their registers`, async (t) => {
    const server = await startLibmodbusServer();
    t.after(() => server.close());
    const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 10, ...form };
    const channel = { type: 'READ_WRITE', valueType: 'STRING', address };
    const gate = (operator: string, value: string): object => ({
      ...channel,
      write: { onlyIf: [{ channel: 'plain', operator, value }] },
    });
    const registry = await openPlant(t, {
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: server.port }],
      assets: [
        {
          pid: 'held',
          driver: 'line',
          channels: [
            { ...channel, name: 'plain' },
            { ...channel, name: 'verified', write: { verify: { withinMs: 0 } } },
            { ...gate('EQUALS', same), name: 'gated' },
            { ...gate('EQUALS', other), name: 'gatedOther' },
            { ...gate('NOT_EQUALS', same), name: 'gatedNot' },
          ],
        },
      ],
    });
    const write = async (to: string, value: string, ifValue?: string): Promise<string | undefined> => {
      const [record] = await registry.get('held').write([{ name: to, valueType: 'STRING', value, ifValue }]);
      return record?.failure?.code ?? record?.outcome;
    };
    assert.equal(await write('verified', written), 'VERIFIED');
    assert.equal(await write('plain', written, same), 'ACKNOWLEDGED');
    assert.equal(await write('plain', written, other), 'WRITE_VALUE_CHANGED');
    assert.equal(await write('gated', written), 'ACKNOWLEDGED');
    assert.equal(await write('gatedNot', written), 'WRITE_CONDITION_FALSE');
    assert.equal(await write('gatedOther', written), 'WRITE_CONDITION_FALSE');
  });
}
