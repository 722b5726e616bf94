import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findLabelFaults, findLabelledValue, labelOf } from '../../../daemon/channel/value-labels.ts';
import type { ValueType } from '../../../daemon/channel/value-type.ts';

test('a value shows its label, and the label in any case of letters is the value', () => {
  const mode = { valueType: 'INTEGER', labels: { '0': 'Off', '-1': 'Automatic' } } as const;
  assert.equal(labelOf(mode.labels, 0), 'Off');
  assert.equal(labelOf(mode.labels, -1), 'Automatic');
  assert.equal(labelOf(mode.labels, 2), undefined);
  assert.equal(labelOf(undefined, 0), undefined);
  assert.equal(findLabelledValue(mode, 'off'), 0);
  assert.equal(findLabelledValue(mode, ' AUTOMATIC '), -1);
  assert.equal(findLabelledValue(mode, 'on'), undefined);
  assert.equal(findLabelledValue({ valueType: 'INTEGER' }, 'off'), undefined);
});

test('every digit of a LONG counts, and a BOOLEAN is named by word or digit', () => {
  const long = { valueType: 'LONG', labels: { '9007199254740993': 'Full' } } as const;
  assert.deepEqual(findLabelFaults(long), []);
  assert.equal(labelOf(long.labels, 9007199254740993n), 'Full');
  assert.equal(labelOf(long.labels, 9007199254740992n), undefined);
  assert.equal(findLabelledValue(long, 'full'), 9007199254740993n);
  for (const labels of [
    { '0': 'Open', '1': 'Closed' },
    { false: 'Open', true: 'Closed' },
  ]) {
    assert.deepEqual(findLabelFaults({ valueType: 'BOOLEAN', labels }), []);
    assert.equal(labelOf(labels, true), 'Closed');
    assert.equal(labelOf(labels, false), 'Open');
    assert.equal(findLabelledValue({ valueType: 'BOOLEAN', labels }, 'closed'), true);
  }
});

test('labels that are ambiguous or name no value are errors at their key', () => {
  const rows: readonly (readonly [ValueType, Record<string, string>, string, RegExp])[] = [
    ['INTEGER', { '0': 'Off', '1': 'off' }, '1', /"off" is ambiguous: it is the label of 0 as well/],
    ['INTEGER', { '0': '1' }, '0', /"1" is ambiguous: it is a value itself/],
    ['BOOLEAN', { '0': 'True' }, '0', /"True" is ambiguous/],
    ['BOOLEAN', { '0': 'Open', false: 'Closed' }, 'false', /is the same value as "0"/],
    ['BOOLEAN', { '2': 'Half' }, '2', /expected false, true, 0 or 1/],
    ['INTEGER', { '007': 'Bond' }, '007', /is not a value; expected an INTEGER such as 3/],
    ['INTEGER', { '1.5': 'Half' }, '1.5', /is not a value/],
    ['INTEGER', { '2147483648': 'Big' }, '2147483648', /is not a value/],
    ['INTEGER', { on: 'On' }, 'on', /is not a value/],
  ];
  for (const [valueType, labels, key, message] of rows) {
    const faults = findLabelFaults({ valueType, labels });
    assert.equal(faults.length, 1, JSON.stringify(labels));
    assert.deepEqual(faults[0]?.path, [key]);
    assert.match(faults[0]?.reason.message ?? '', message);
  }
});

test('only BOOLEAN, INTEGER and LONG have labels', () => {
  for (const valueType of ['FLOAT', 'DOUBLE', 'STRING', 'BYTE_ARRAY'] as const) {
    assert.match(
      findLabelFaults({ valueType, labels: { '0': 'Off' } })[0]?.reason.message ?? '',
      new RegExp(`values of ${valueType} have no labels`),
    );
  }
});
