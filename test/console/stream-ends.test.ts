import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { STREAM_ENDS } from '../../daemon/console/text/assets.ts';
import { needs } from '../support/tests-that-need.ts';
import { shareConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const GERMAN = { locale: 'de-DE' } as const;
const LISTEN = /\/services\/assets\/_listen\?/;
const openShared = shareConsole();

test('every reason for the end of a stream of values has words', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/reference/rest-api.md'), 'utf8');
  const [, table = ''] = /^\| `end` +\| reason .*\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const reasons = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, reason = '']) => reason);
  assert.ok(reasons.length > 4);
  assert.deepEqual(Object.keys(STREAM_ENDS).toSorted(), reasons.toSorted());
});

test('an asset without new values names the end of its stream in German', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter('', GERMAN);
  await page.route(LISTEN, (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: 'event: end\ndata: {"reason":"ASSET_CHANGED"}\n\n',
    }),
  );
  await page.goto(`${base}/#/assets/pump`);
  await page
    .getByText(
      /Keine neuen Werte seit .* Die Konfiguration des Assets oder seiner Verbindung wurde geändert\./,
    )
    .waitFor();
});

test('a stream of values that is refused names the cause in German', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter('', GERMAN);
  await page.route(LISTEN, (route) =>
    route.fulfill({
      status: 503,
      headers: { 'Penstock-Error': 'STREAMS_EXHAUSTED' },
      json: { message: 'no stream' },
    }),
  );
  await page.goto(`${base}/#/assets/pump`);
  await page.getByText(/Keine neuen Werte seit .* Es sind zu viele Seiten offen/).waitFor();
});
