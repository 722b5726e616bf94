import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { COUNTERS } from '../../daemon/console/text/counters.ts';
import { createInstrumentStatus } from '../../drivers/serial/instrument-status.ts';
import { LineCounters } from '../../drivers/modbus/link/line-counters.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CONSOLE = needs('chromium', 'libmodbus');

/** Names of the counters on the page of a driver. */
function listDocumented(driver: string): readonly string[] {
  const page = readFileSync(path.join(ROOT, 'docs/reference', `${driver}.md`), 'utf8');
  const table = /\| counter +\| counts +\|\n\|[ -|]+\|\n((?:\|.*\n)+)/.exec(page)?.[1] ?? '';
  return [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
}

test('every counter of a driver has words in both languages', () => {
  const documented = ['modbus', 'opcua', 'serial'].map(listDocumented);
  for (const names of documented) assert.ok(names.length > 5);
  const counted = [
    // Of every connection, and of one whose driver is in a bundle.
    'connects',
    'calls',
    'failures',
    ...documented.flat(),
    ...Object.keys(new LineCounters().toRecord()),
    ...Object.keys(createInstrumentStatus('/dev/ttyS0', { epochMs: () => 0 }).counters()),
  ];
  assert.deepEqual(Object.keys(COUNTERS).toSorted(), [...new Set(counted)].toSorted());
});

test('the counters of a connection are in German', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/devices/line/line', { locale: 'de-DE' });
  await page.getByText('Zähler', { exact: true }).click();
  const timeouts = page.locator('.counters th', { hasText: 'Ungültige Antworten' });
  await timeouts.waitFor();
  assert.equal(await timeouts.getAttribute('title'), 'invalidAnswers');
  assert.deepEqual(
    (await page.locator('.counters th').allInnerTexts()).filter((words) => /^[a-z]/.test(words)),
    [],
  );
});
