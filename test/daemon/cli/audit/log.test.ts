import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { readJournalEntry } from '../../../../daemon/cli/configuration/journal-entry.ts';
import { readMoment } from '../../../../daemon/cli/audit/log.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { startCommand } from '../command.ts';

const NOW_MS = new Date(2026, 10, 26, 18, 30).getTime();

/** An entry as `journalctl --output=json` prints it. */
function toLine(message: unknown, priority = 6): string {
  return JSON.stringify({
    __REALTIME_TIMESTAMP: String(NOW_MS * 1000),
    MESSAGE: message,
    PRIORITY: String(priority),
    SYSLOG_IDENTIFIER: 'systemd',
  });
}

const LISTENING = JSON.stringify({
  time: '2026-11-26T18:00:00.000Z',
  level: 'info',
  event: 'listening',
  port: 443,
});
const REFUSED = JSON.stringify({ time: '2026-11-26T18:00:01.000Z', level: 'warn', event: 'refused' });

/** Runs `penstock log` with a journalctl that prints lines, notes its words, and ends as it is told. */
async function runLog(t: Owner, words: readonly string[], lines: readonly string[], end = 'exit 0') {
  const folder = createTemporaryDirectory(t);
  writeFileSync(path.join(folder, 'lines'), lines.map((line) => `${line}\n`).join(''));
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >'${folder}/words'\ncat '${folder}/lines'\n${end}\n`;
  writeFileSync(path.join(folder, 'journalctl'), script);
  chmodSync(path.join(folder, 'journalctl'), 0o755);
  const command = startCommand(t, ['log', ...words], { PATH: `${folder}:${process.env['PATH'] ?? ''}` });
  return {
    command,
    given: () => readFileSync(path.join(folder, 'words'), 'utf8').trim().split('\n'),
    end: async () => ({ status: await command.ended, output: command.output(), errors: command.errors() }),
  };
}

test('log prints events of the gateway and messages of systemd, a line each', async (t) => {
  const started = await runLog(t, [], [toLine(LISTENING), 'no entry', toLine('Started Penstock.', 4)]);
  const { status, output } = await started.end();
  assert.equal(status, 0);
  assert.match(output, /^2026-11-26 \d\d:00:00 {2}info {3}listening {2}port 443\n/);
  assert.match(output, /\n2026-11-26 18:30:00 {2}warn {3}systemd {2}message Started Penstock\.\n$/);
  const words = started.given();
  assert.ok(words.includes('--unit=penstock.service') && words.includes('--lines=100'), words.join(' '));
});

test('log filters by event here, and by time and level in the journal', async (t) => {
  const filters = [
    '--event',
    'refused',
    '--since',
    '2h',
    '--until',
    '2026-11-27',
    '--level',
    'warn',
    '--json',
  ];
  const started = await runLog(t, filters, [toLine(LISTENING), toLine(REFUSED, 4)]);
  assert.deepEqual(await started.end(), { status: 0, output: `${REFUSED}\n`, errors: '' });
  const words = started.given();
  assert.ok(words.includes('--priority=warning'));
  assert.ok(
    words.some((word) => /^--since=@\d+$/.test(word)) && words.some((word) => /^--until=@\d+$/.test(word)),
  );
  assert.ok(!words.some((word) => word.startsWith('--lines')));
});

test('log --follow goes on until it is stopped', async (t) => {
  const { command, given } = await runLog(t, ['--follow'], [toLine(LISTENING)], 'exec sleep 600');
  await command.find(/listening/);
  assert.ok(given().includes('--follow'));
  command.process.kill('SIGINT');
  assert.equal(await command.ended, 0);
});

test('log says that there is no journal, no entry, or no journalctl', async (t) => {
  const failed = await (await runLog(t, [], [], 'echo "No such boot" >&2; exit 1')).end();
  assert.deepEqual([failed.status, failed.output], [1, '']);
  assert.match(failed.errors, /journalctl failed: No such boot; run this as root/);
  const empty = await (await runLog(t, [], [])).end();
  assert.equal(empty.status, 1);
  assert.match(empty.errors, /journal/);
  const absent = startCommand(t, ['log'], { PATH: '/nowhere' });
  assert.equal(await absent.ended, 1);
  assert.match(absent.errors(), /journalctl cannot be run/);
});

for (const words of [['--since', 'soon'], ['--level', 'loud'], ['--lines', '0'], ['boiler']]) {
  test(`"penstock log ${words.join(' ')}" is wrong usage`, async (t) => {
    assert.equal((await (await runLog(t, words, [])).end()).status, 2);
  });
}

test('readMoment reads spans, days and dates, and nothing else', () => {
  const at = (...parts: [number, number, number, number?, number?]): number => new Date(...parts).getTime();
  const cases: readonly (readonly [string, number | undefined])[] = [
    ['30m', NOW_MS - 1_800_000],
    ['-1h', NOW_MS - 3_600_000],
    ['today', at(2026, 10, 26)],
    ['yesterday', at(2026, 10, 25)],
    ['2026-11-26', at(2026, 10, 26)],
    ['2026-11-26 18:00', at(2026, 10, 26, 18, 0)],
    ['2026-11-26T18:00:00Z', Date.UTC(2026, 10, 26, 18)],
    ['2026-13-01', undefined],
    ['tomorrow', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of cases) assert.equal(readMoment(text, NOW_MS), expected, text);
});

test('readJournalEntry takes a message in bytes, and none of another shape', () => {
  const bytes = [...Buffer.from('caf\u00e9')];
  assert.equal(readJournalEntry(toLine(bytes))?.['message'], 'caf\u00e9');
  for (const line of ['', '{}', '[]', 'null']) assert.equal(readJournalEntry(line), undefined);
});
