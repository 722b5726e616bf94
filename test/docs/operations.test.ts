import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MONITOR = readFileSync(path.join(ROOT, 'docs/how-to/monitor.md'), 'utf8');
const TROUBLESHOOT = readFileSync(path.join(ROOT, 'docs/how-to/troubleshoot.md'), 'utf8');
const SOURCES = ['daemon', 'drivers']
  .flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8')),
  )
  .join('\n');

/** Returns the texts in code style in the first column of the table under a heading of the page about monitoring. */
function readNames(heading: string): readonly string[] {
  const [, section = ''] = MONITOR.split(`## ${heading}\n`);
  const rows = section.split('\n## ')[0]?.match(/^\| `[^|]*\|/gm) ?? [];
  return rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

test('docs/how-to/monitor.md names events that the log can have', () => {
  const events = readNames('Logs').filter((name) => !name.startsWith('"auditEvent"'));
  assert.ok(events.length > 15);
  assert.deepEqual(
    events.filter((name) => !SOURCES.includes(`'${name}'`)),
    [],
  );
});

test('events of the log are in camelCase: a word of the daemon, or a noun and what happened to it', () => {
  const call = /\blogger(?:\.(?:debug|info|warn|error)|\[[^\]]+\])\(\s*'([^']+)'/g;
  const events = [...SOURCES.matchAll(call)].map(([, name = '']) => name);
  assert.ok(events.length > 60);
  assert.deepEqual(
    events.filter((name) => !/^[a-z][A-Za-z]*(?:\.[a-z][A-Za-z]*)?$/.test(name)),
    [],
  );
});

test('docs/how-to/monitor.md names metrics that there are', () => {
  const metrics = [...MONITOR.matchAll(/`(penstock_\w+)`/g)].map(([, name = '']) => name);
  const known = new Set([...SOURCES.matchAll(/name: '(penstock_\w+)'/g)].map(([, name]) => name));
  assert.ok(metrics.length > 3);
  assert.deepEqual(
    metrics.filter((name) => !known.has(name)),
    [],
  );
});

test('docs/how-to/troubleshoot.md shows messages of a start that fails as they are', () => {
  const messages = ['is not an intact database', 'is in use by ', 'have version'];
  assert.deepEqual(
    messages.filter((message) => !TROUBLESHOOT.includes(message) || !SOURCES.includes(message)),
    [],
  );
});
