import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ArrayTextFault, formatArray, parseArray } from '../../../daemon/channel/array-text.ts';
import type { ElementKind } from '../../../daemon/channel/array-text.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { createRandom } from '../../support/random.ts';

const BOTH_WAYS: readonly (readonly [ElementKind, readonly ChannelValue[], string])[] = [
  ['INTEGER', [], '[]'],
  ['INTEGER', [1n, -2n, 0n], '[1,-2,0]'],
  ['INTEGER', [2n ** 64n - 1n, -(2n ** 63n)], '[18446744073709551615,-9223372036854775808]'],
  ['INTEGER', [9007199254740993n], '[9007199254740993]'],
  ['FLOAT32', [Math.fround(12.34), 2.5], '[12.34,2.5]'],
  ['FLOAT64', [0.1, 1e300, 5e-324], '[0.1,1e+300,5e-324]'],
  ['FLOAT64', [Number.NaN, Infinity, -Infinity], '["NaN","Infinity","-Infinity"]'],
  ['FLOAT32', [Number.NaN, Infinity, -Infinity], '["NaN","Infinity","-Infinity"]'],
  ['BOOLEAN', [true, false], '[true,false]'],
  ['STRING', ['a', '', 'x"\\,]\n', 'Zürich 🌍'], '["a","","x\\"\\\\,]\\n","Zürich 🌍"]'],
  ['BYTES', [Buffer.from([1, 2, 255]), Buffer.alloc(0)], '["AQL/",""]'],
  ['FLOAT32', [-0, 0], '[-0,0]'],
  ['FLOAT64', [-0, 0], '[-0,0]'],
];

for (const [kind, elements, text] of BOTH_WAYS) {
  test(`formatArray writes ${kind} as ${text}, and parseArray reads it back`, () => {
    assert.equal(formatArray(kind, elements), text);
    const read = parseArray(kind, text, elements.length);
    assert.deepEqual(kind === 'FLOAT32' ? toFloat32(read) : read, elements);
  });
}

test('parseArray reads what formatArray wrote for any 64 bits', () => {
  const random = createRandom(12);
  const elements = Array.from({ length: 200 }, () => {
    const bits = BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 32n + BigInt(Math.floor(random() * 2 ** 32));
    return random() < 0.5 ? bits : BigInt.asIntN(64, bits);
  });
  assert.deepEqual(parseArray('INTEGER', formatArray('INTEGER', elements)), elements);
});

const READ: readonly (readonly [ElementKind, string, readonly ChannelValue[]])[] = [
  ['INTEGER', ' [ 1 ,\n\t2 ] ', [1n, 2n]],
  ['INTEGER', '["5","+6",7.0,1e3]', [5n, 6n, 7n, 1000n]],
  ['FLOAT64', '["1.5",9007199254740993,-0,1E2]', [1.5, 9007199254740992, -0, 100]],
  ['BOOLEAN', '["TRUE",false]', [true, false]],
  ['STRING', String.raw`["\u00fc\ud83c\udf0d\/"]`, ['ü🌍/']],
  ['BYTES', '["AQ"]', [Buffer.from([1])]],
];

for (const [kind, text, elements] of READ) {
  test(`parseArray reads ${JSON.stringify(text)} as ${kind}`, () => {
    assert.deepEqual(parseArray(kind, text), elements);
  });
}

const REFUSED: readonly (readonly [ElementKind, string, string])[] = [
  ['INTEGER', '', 'no JSON array'],
  ['INTEGER', '5', 'no JSON array'],
  ['INTEGER', '{"a":1}', 'no JSON array'],
  ['INTEGER', '[', 'no JSON array'],
  ['INTEGER', '[1', 'no JSON array'],
  ['INTEGER', '[1,]', 'element [1] '],
  ['INTEGER', '[,1]', 'element [0] '],
  ['INTEGER', '[1 2]', 'element [0] '],
  ['INTEGER', '[1]]', 'element [0] '],
  ['INTEGER', '[01]', 'element [0] '],
  ['INTEGER', '[1,0x10]', 'element [1] '],
  ['INTEGER', '[1,null]', 'element [1] '],
  ['INTEGER', '[1,[2]]', 'element [1] '],
  ['INTEGER', '[1,{}]', 'element [1] '],
  ['INTEGER', '[1,2.5]', 'element [1] is not a whole number'],
  ['INTEGER', '[9007199254740993.0]', 'element [0] is not a whole number'],
  ['INTEGER', '["NaN"]', 'element [0] is not a whole number'],
  ['INTEGER', '[true]', 'element [0] is not a whole number'],
  ['INTEGER', `[${'9'.repeat(500)}]`, 'element [0] is not a whole number'],
  ['FLOAT64', '[1e999]', 'element [0] is not a number'],
  ['FLOAT64', '[1,NaN]', 'element [1] '],
  ['FLOAT64', '[1,"x"]', 'element [1] is not a number'],
  ['BOOLEAN', '[1]', 'element [0] is not true or false'],
  ['STRING', '["a",5]', 'element [1] is not a text'],
  ['STRING', String.raw`["a\u0000"]`, 'element [0] is not a text'],
  ['STRING', String.raw`["\ud83c"]`, 'element [0] is not a text'],
  ['STRING', String.raw`["\x"]`, 'element [0] '],
  ['STRING', '["a\nb"]', 'element [0] '],
  ['STRING', '["a]', 'element [0] '],
  ['BYTES', '["?"]', 'element [0] is not base64'],
];

for (const [kind, text, reason] of REFUSED) {
  test(`parseArray refuses ${JSON.stringify(text.slice(0, 30))} as ${kind}`, () => {
    const fault = parseArray(kind, text);
    assert.ok(fault instanceof ArrayTextFault);
    assert.equal(fault.code, 'VALUE_TYPE_MISMATCH');
    assert.ok(fault.message.includes(reason), fault.message);
  });
}

test('parseArray names the count that it expected', () => {
  for (const [text, given] of [
    ['[]', '0'],
    ['[1,2]', '2'],
    ['[1,2,3,4]', 'more'],
  ] as const) {
    const fault = parseArray('INTEGER', text, 3);
    assert.ok(fault instanceof ArrayTextFault);
    assert.deepEqual(
      [fault.code, fault.message],
      ['VALUE_OUT_OF_RANGE', `expected 3 elements, not ${given}`],
    );
  }
});

test('parseArray refuses a text that nests a million times', () => {
  const text = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
  assert.ok(parseArray('INTEGER', text) instanceof ArrayTextFault);
});

test('parseArray reads a text of a million characters', () => {
  const long = 'x\\n'.repeat(300_000);
  assert.deepEqual(parseArray('STRING', `["${long}"]`), ['x\n'.repeat(300_000)]);
  assert.equal(
    (parseArray('INTEGER', `[${'1,'.repeat(500_000)}1]`) as readonly ChannelValue[]).length,
    500_001,
  );
});

function toFloat32(read: readonly ChannelValue[] | ArrayTextFault): unknown {
  return read instanceof ArrayTextFault ? read : read.map((element) => Math.fround(Number(element)));
}
