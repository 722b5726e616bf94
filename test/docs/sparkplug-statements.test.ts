import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { RULES } from '../bundles/penstock-sparkplug/conformance/rules/rules.ts';
import { listStatements, WITHOUT_TEST } from '../bundles/penstock-sparkplug/conformance/statements.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = 'docs/reference/sparkplug-conformance.md';

const text = readFileSync(path.join(ROOT, PAGE), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| `tck-id-'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, name = '', kept = '', title = '']) => ({ name: name.replaceAll('`', '').slice(7), kept, title }));

test('the page has each statement for edge nodes once, and no other one', () => {
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), listStatements('edge').toSorted());
});

test('the specification has 299 statements, each with one role', () => {
  const all = [...listStatements('edge'), ...listStatements('host'), ...listStatements('server')];
  assert.equal(new Set(all).size, 299);
  assert.equal(all.length, 299);
});

test('a statement has a test that exists and shows it, or the reason why it has none', () => {
  for (const { name, kept, title } of rows) {
    assert.ok(kept.length > 10, name);
    const rule = RULES.find((each) => each.title === title);
    if (rule === undefined) assert.ok(title === '' && name in WITHOUT_TEST, `${name}: ${title}`);
    else assert.ok(rule.statements.includes(name), `${name} is not shown by "${title}"`);
  }
});

test('the file that the page names tests every rule by its title', () => {
  const [, file = ''] = /`(test\/bundles\/[^`]+\.test\.ts)`/.exec(text) ?? [];
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  assert.match(source, /for \(const rule of RULES\) \{\s+test\(rule\.title,/);
  assert.equal(new Set(RULES.map(({ title }) => title)).size, RULES.length);
});
