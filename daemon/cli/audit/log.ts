import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { LOG_LEVELS } from '../../base/logger.ts';
import type { LogLevel } from '../../base/logger.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { CommandError, UsageError, describeFailure } from '../command-error.ts';
import type { OptionValue } from '../command-line.ts';
import { readJournalEntry } from '../configuration/journal-entry.ts';
import type { JournalEntry } from '../configuration/journal-entry.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { findPage, paint } from '../terminal/page.ts';
import type { Page, Tone } from '../terminal/page.ts';
import { toPrintable } from '../terminal/table.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';

const UNIT = 'penstock.service';
const JOURNAL_FOLDERS: readonly string[] = ['/var/log/journal', '/run/log/journal'];
const DEFAULT_LINES = 100;
const LINES = { unit: 'lines', minimum: 1, maximum: 1_000_000 };

// Names of journalctl(1).
const PRIORITIES: Readonly<Record<LogLevel, string>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'err',
};
const TONES: Readonly<Record<string, Tone>> = { error: 'BAD', warn: 'DOUBTFUL' };

const OPTIONS = {
  since: {
    value: 'TIME',
    help: 'show entries from this time on: 30m, 2h, 7d, today, 2026-11-26, "2026-11-26 18:00"',
  },
  until: { value: 'TIME', help: 'show entries up to this time' },
  level: { value: LOG_LEVELS.join('|'), help: 'show entries of this level and more severe ones' },
  event: { value: 'NAME', help: 'show only entries of this event, for example listening', isRepeated: true },
  lines: {
    value: 'N',
    help: `show the newest N entries (default: ${DEFAULT_LINES}, all with --since or --event)`,
  },
  follow: { help: 'show new entries too, until stopped' },
} as const;

/** Shows the log of the gateway in the journal of this machine. */
export const log = createCommandGroup('log', 'show the log of the gateway on this machine', {
  '': {
    parameters: '',
    summary: 'show the log of the gateway, from the journal of this machine',
    text: 'Reads the entries of penstock.service with journalctl, as root or as a member of the group systemd-journal. A gateway that was not started by systemd writes its log to standard output instead.',
    options: OPTIONS,
    examples: [
      'penstock log --level warn --since 2h',
      'penstock log --follow --event clientCertificate.refused',
    ],
    runHere: showLog,
  },
});

async function showLog({ options, terminal, isJson }: LocalInvocation): Promise<void> {
  const events = (options['event'] as readonly string[] | undefined) ?? [];
  const words = listJournalWords(options, events.length > 0);
  const page = findPage();
  let count = 0;
  for await (const line of readJournal(words, terminal.stopSignal)) {
    const entry = readJournalEntry(line);
    if (entry === undefined || (events.length > 0 && !events.includes(entry.event))) continue;
    count += 1;
    terminal.print(`${isJson ? JSON.stringify(entry) : describeEntry(entry, page)}\n`);
  }
  if (count > 0 || terminal.stopSignal.aborted) return;
  const isFiltered =
    events.length > 0 || ['since', 'until', 'level'].some((name) => options[name] !== undefined);
  if (!JOURNAL_FOLDERS.some((folder) => existsSync(folder))) throw missing('this machine has no journal');
  if (!isFiltered) throw missing(`the journal has no entry of ${UNIT} readable by this user`);
  terminal.note('no entry matches\n');
}

function missing(detail: string, cause?: unknown): CommandError {
  const advice =
    'run this as root if systemd starts the gateway; otherwise its log is on the standard output of penstockd';
  return new CommandError({ code: 'JOURNAL_MISSING', detail: `${detail}; ${advice}`, cause });
}

function listJournalWords(
  options: Readonly<Record<string, OptionValue>>,
  isByEvent: boolean,
): readonly string[] {
  const { level, since, until } = options;
  const nowMs = Date.now();
  const limit = readWholeNumber(options, 'lines', LINES);
  const lines = limit ?? (since === undefined && !isByEvent ? DEFAULT_LINES : undefined);
  return [
    `--unit=${UNIT}`,
    '--output=json',
    '--no-pager',
    '--quiet',
    ...(typeof since === 'string' ? [`--since=${toTimestamp('since', since, nowMs)}`] : []),
    ...(typeof until === 'string' ? [`--until=${toTimestamp('until', until, nowMs)}`] : []),
    ...(typeof level === 'string' ? [`--priority=${readPriority(level)}`] : []),
    ...(lines === undefined ? [] : [`--lines=${lines}`]),
    ...(options['follow'] === true ? ['--follow'] : []),
  ];
}

/** Formats a time for journalctl, independent of locale and time zone. */
function toTimestamp(name: string, text: string, nowMs: number): string {
  const momentMs = readMoment(text, nowMs);
  if (momentMs !== undefined) return `@${Math.floor(momentMs / 1000)}`;
  throw new UsageError(`--${name} ${JSON.stringify(text)}: expected 30m, 2h, 7d, today or 2026-11-26 18:00`);
}

function readPriority(text: string): string {
  const level = LOG_LEVELS.find((each) => each === text);
  if (level !== undefined) return PRIORITIES[level];
  throw new UsageError(`--level ${JSON.stringify(text)}: expected ${LOG_LEVELS.join(', ')}`);
}

/** Runs journalctl and yields the lines of its output. */
async function* readJournal(words: readonly string[], signal: AbortSignal): AsyncGenerator<string> {
  const child = spawn('journalctl', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const failure = new Promise<unknown>((resolve) => child.once('error', resolve));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* createInterface({ input: child.stdout });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
  const end = await Promise.race([ended, failure]);
  if (signal.aborted || end === 0) return;
  if (typeof end === 'number') throw missing(`journalctl failed: ${toPrintable(errors.trim())}`);
  throw missing(`journalctl cannot be run: ${describeFailure(end)}`, end);
}

function describeEntry({ time, level, event, ...fields }: JournalEntry, page: Page): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name} ${toPrintable(text)}`;
  });
  const head = `${formatLocalTime(Date.parse(time))}  ${paint(level.padEnd(5), TONES[level], page)}  ${toPrintable(event)}`;
  return parts.length === 0 ? head : `${head}  ${parts.join(', ')}`;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a time: a duration before now (`30m`, `2h`, `7d`), `today`, `yesterday`, or a date with optional time, in the
 * time zone of this machine unless it has an offset.
 *
 * @returns milliseconds since the epoch; undefined for other texts
 */
export function readMoment(text: string, nowMs: number): number | undefined {
  const [, amount, unit = ''] = /^-?(\d{1,9}) ?([smhd])$/.exec(text.trim()) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNIT_MS[unit] ?? 0);
  if (text === 'today' || text === 'yesterday') {
    const day = new Date(nowMs);
    day.setHours(0, 0, 0, 0);
    if (text === 'yesterday') day.setDate(day.getDate() - 1);
    return day.getTime();
  }
  const [, date, time = '00:00'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text.trim()) ?? [];
  if (date === undefined) return undefined;
  const momentMs = new Date(`${date}T${time}`).getTime();
  return Number.isNaN(momentMs) ? undefined : momentMs;
}
