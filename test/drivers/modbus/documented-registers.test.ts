import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DecodeFault } from '../../../drivers/modbus/value/codec.ts';
import { DATA_TYPES, countRegisters, groupOf } from '../../../drivers/modbus/value/data-type.ts';
import { addressSchema } from '../../../drivers/modbus/modbus-address.ts';
import { createDecode } from '../../../drivers/modbus/value/register-codec.ts';

const TEXT = readFileSync(path.resolve(import.meta.dirname, '../../../docs/reference/modbus.md'), 'utf8');
const PAGE = TEXT.slice(TEXT.indexOf('\n## Addresses\n'), TEXT.indexOf('\n## Reads\n'));

// Registers, data type with further fields, order, value.
const EXAMPLE = /^\| `((?:[0-9A-F]{4} ?)+)` *\| `([A-Z]\w+)`([^|]*)\|([^|]*)\| ([^|,]*?)[ ,][^|]*\|$/gm;
const EXAMPLES = [...PAGE.matchAll(EXAMPLE)];

test('docs/reference/modbus.md has examples of registers', () => assert.ok(EXAMPLES.length >= 17));

for (const [, registers = '', dataType, more = '', order = '', expected] of EXAMPLES) {
  test(`docs/reference/modbus.md: ${registers} is ${expected} as ${dataType}${more.trimEnd()}`, () => {
    const fields = Object.fromEntries(
      [...`${more}${order}`.matchAll(/`(\w+): (\w+)`/g)].map(([, key = '', value]) => [key, value]),
    );
    const [, length] = / of (\d+) bytes/.exec(more) ?? [];
    const address = addressSchema.parse({
      table: 'HOLDING_REGISTERS',
      offset: 0,
      dataType,
      ...fields,
      ...(length === undefined ? {} : { length: Number(length) }),
    });
    const value = createDecode(address)(Buffer.from(registers.replaceAll(' ', ''), 'hex'), 0);
    assert.equal(value instanceof DecodeFault ? 'failure' : String(value), expected);
  });
}

test('docs/reference/modbus.md has every data type with its number of registers', () => {
  const rows = [...PAGE.matchAll(/^\| ((?:`[A-Z]\w+`(?:, )?)+) *\| (one bit|by length|\d+) /gm)];
  const documented = rows.flatMap(([, names = '', size]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, size] as const),
  );
  const sizes = DATA_TYPES.map((dataType) => {
    const group = groupOf(dataType);
    if (group === 'BIT') return [dataType, 'one bit'] as const;
    const isByLength = group === 'TEXT' || group === 'BYTES';
    return [dataType, isByLength ? 'by length' : String(countRegisters(dataType, 0))] as const;
  });
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(sizes));
});
