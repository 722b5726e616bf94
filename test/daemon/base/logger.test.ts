import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLogger } from '../../../daemon/base/logger.ts';
import type { Logger, LoggerOptions, LogLevel } from '../../../daemon/base/logger.ts';

function createRecorded(options: Partial<LoggerOptions> = {}): {
  readonly logger: Logger;
  readonly lines: string[];
} {
  const lines: string[] = [];
  const logger = createLogger({
    level: () => 'debug',
    write: (line) => lines.push(line),
    epochMs: () => 1_700_000_000_123,
    journalPriorities: false,
    ...options,
  });
  return { logger, lines };
}

const entryOf = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? '') as Record<string, unknown>;

test('a line has time, level, event and fields in this order', () => {
  const { logger, lines } = createRecorded();
  logger.info('asset.read', { asset: 'boiler', count: 3 });
  assert.deepEqual(lines, [
    '{"time":"2023-11-14T22:13:20.123Z","level":"info","event":"asset.read","asset":"boiler","count":3}\n',
  ]);
});

test('a level includes the more severe ones and no others', () => {
  const { logger, lines } = createRecorded({ level: () => 'warn' });
  for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level](level);
  assert.deepEqual(
    lines.map((line) => entryOf(line)['event']),
    ['warn', 'error'],
  );
});

test('a change of the level takes effect with the next line, for children as well', () => {
  let level: LogLevel = 'error';
  const { logger, lines } = createRecorded({ level: () => level });
  const child = logger.child({ asset: 'boiler' });
  child.info('before');
  level = 'info';
  child.info('after');
  assert.deepEqual(
    lines.map((line) => entryOf(line)['event']),
    ['after'],
  );
});

test('child adds its fields to every line, and a field of the line wins', () => {
  const { logger, lines } = createRecorded();
  const child = logger.child({ asset: 'boiler', unit: 7 });
  child.info('x', { unit: 8 });
  logger.info('y');
  assert.deepEqual([entryOf(lines[0])['asset'], entryOf(lines[0])['unit']], ['boiler', 8]);
  assert.equal('asset' in entryOf(lines[1]), false);
});

test('lines begin with the syslog priority when the journal reads them', () => {
  const { logger, lines } = createRecorded({ journalPriorities: true });
  for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level]('x');
  assert.deepEqual(
    lines.map((line) => line.slice(0, 4)),
    ['<7>{', '<6>{', '<4>{', '<3>{'],
  );
});

test('fields with the name of a secret are never written, at any depth', () => {
  const { logger, lines } = createRecorded();
  const secrets = Object.fromEntries(
    [
      'password',
      'newPassword',
      'passwordHash',
      'token',
      'refreshToken',
      'cookie',
      'Authorization',
      'privateKey',
      'SECRET',
    ].map((name) => [name, 'canary']),
  );
  logger.child({ password: 'canary' }).error('x', { ...secrets, deep: [{ more: secrets }] });
  assert.doesNotMatch(lines.join(''), /canary/);
  assert.equal(entryOf(lines[0])['password'], '[redacted]');
});

test('no value starts a new line or hides text', () => {
  const { logger, lines } = createRecorded();
  const hostile = 'a\r\nb\u001b[2Jc\u0085d\u2028e\u202ef\u2066g\u200fh\u009bi\u007fj';
  logger.info(hostile, { [hostile]: hostile });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^[\u0020-\u007e]+\n$/);
  assert.equal(entryOf(lines[0])[hostile], hostile);
});

test('an Error is written with its text, code, stack and causes', () => {
  const { logger, lines } = createRecorded();
  const cause = Object.assign(new Error('beneath'), { code: 'EIO' });
  logger.error('failed', { error: new Error('above', { cause }) });
  const error = entryOf(lines[0])['error'] as { message: string; stack: string; cause: { code: string } };
  assert.equal(error.message, 'above');
  assert.match(error.stack, /logger\.test/);
  assert.equal(error.cause.code, 'EIO');
});

test('a cause that is not an Error is written as text', () => {
  const { logger, lines } = createRecorded();
  logger.error('failed', { error: new Error('above', { cause: 5n }) });
  assert.equal((entryOf(lines[0])['error'] as { cause: string }).cause, '5');
});

test('a 64-bit integer is written with every digit', () => {
  const { logger, lines } = createRecorded();
  logger.info('x', { value: 9_007_199_254_740_993n });
  assert.equal(entryOf(lines[0])['value'], '9007199254740993');
});
