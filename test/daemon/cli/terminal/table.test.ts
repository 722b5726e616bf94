import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatTable } from '../../../../daemon/cli/terminal/table.ts';

interface Row {
  readonly name: string;
  readonly cause?: string;
}

const COLUMNS = [
  { title: 'NAME', show: ({ name }: Row) => name },
  { title: 'CAUSE', show: ({ cause = '' }: Row) => cause, isOptional: true },
  { title: 'SIZE', show: () => 7 },
];

test('formatTable leaves an optional column out that is empty in every row', () => {
  assert.equal(formatTable(COLUMNS, [{ name: 'pump' }]), 'NAME  SIZE\npump  7\n');
});

test('formatTable shows an optional column that has a text in one row', () => {
  assert.equal(
    formatTable(COLUMNS, [{ name: 'pump' }, { name: 'fan', cause: 'full' }]),
    'NAME  CAUSE  SIZE\npump         7\nfan   full   7\n',
  );
});

test('formatTable shows no control character of a row', () => {
  assert.equal(
    formatTable([{ title: 'NAME', show: ({ name }: Row) => name }], [{ name: 'a\u001B[2Jb' }]),
    'NAME\na\uFFFD[2Jb\n',
  );
});

test('formatTable lets a long text move the rest of its own row only', () => {
  const name = `[${'1,'.repeat(30)}1]`;
  assert.equal(formatTable(COLUMNS, [{ name }, { name: 'pump' }]), `NAME  SIZE\n${name}  7\npump  7\n`);
});

const NARROW = { columns: 40, isColoured: false };
const LONG = 'no connection to 192.0.2.20:502: it refuses connections';

test('formatTable wraps the widest column between words where the page has a width', () => {
  const rows = [{ name: 'pump', cause: LONG }, { name: 'fan' }];
  const table = formatTable(COLUMNS, rows, NARROW);
  assert.equal(
    table,
    `NAME  CAUSE                         SIZE
pump  no connection to              7
      192.0.2.20:502: it refuses
      connections
fan                                 7
`,
  );
});

test('formatTable breaks words only where nothing else fits, and never leaves the page', () => {
  for (const columns of [40, 60, 80]) {
    const row = { name: 'p'.repeat(200), cause: `${'\u6E29'.repeat(90)} ${LONG}` };
    const lines = formatTable(COLUMNS, [row], { columns, isColoured: false }).split('\n');
    const widths = lines.map((line) => line.length + line.replaceAll(/[^\u6E29]/g, '').length);
    assert.ok(Math.max(...widths) <= columns);
    const letters = lines.join('').replaceAll(/[^p]/g, '').length;
    assert.equal(letters, 200);
  }
});

test('formatTable paints titles and tones without changing the width', () => {
  const columns = [
    { title: 'STATE', show: ({ name }: Row) => name, tone: () => 'BAD' as const },
    { title: 'SIZE', show: () => 7 },
  ];
  assert.equal(
    formatTable(columns, [{ name: 'DOWN' }], { columns: 80, isColoured: true }),
    '\u001B[1mSTATE\u001B[0m  \u001B[1mSIZE\u001B[0m\n\u001B[31mDOWN\u001B[0m   7\n',
  );
});
