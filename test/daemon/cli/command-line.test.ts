import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkWords, parseCommand } from '../../../daemon/cli/command-line.ts';

const KNOWN = {
  name: { value: 'NAME', help: '' },
  kept: { value: 'NAME', help: '', isRepeated: true },
  days: { value: 'N', help: '', default: '7' },
  force: { help: '' },
} as const;

test('parseCommand takes values after a space or "=", switches, and defaults', () => {
  const { options, words } = parseCommand(
    ['a', '--name', 'x', '--kept=1', '--kept', '2', '--force', 'b'],
    KNOWN,
  );
  assert.deepEqual(words, ['a', 'b']);
  assert.deepEqual(options, { name: 'x', kept: ['1', '2'], days: '7', force: true });
});

test('a negative number, "-" and what follows "--" are words', () => {
  assert.deepEqual(parseCommand(['-5', '-', '-.5', '--', '--name'], KNOWN).words, [
    '-5',
    '-',
    '-.5',
    '--name',
  ]);
});

for (const [words, detail] of [
  [['--nmae', 'x'], 'unknown option --nmae; did you mean "--name"?'],
  [['--constructor', 'x'], /^unknown option --constructor/],
  [['-n', 'x'], /^unknown option -n/],
  [['--name'], '--name: NAME is missing'],
  [['--name', '--force'], '--name: NAME is missing'],
  [['--force=yes'], '--force takes no value'],
] as const) {
  test(`"${words.join(' ')}" is wrong usage`, () => {
    assert.throws(() => parseCommand(words, KNOWN), { name: 'UsageError', detail });
  });
}

test('a command that takes settings keeps the options that it does not know', () => {
  const { settings, options } = parseCommand(
    ['--host', 'plc', '--rs485', '--force', '--port=502'],
    KNOWN,
    true,
  );
  assert.deepEqual(settings, [
    { name: 'host', text: 'plc' },
    { name: 'rs485', text: undefined },
    { name: 'port', text: '502' },
  ]);
  assert.equal(options['force'], true);
});

test('checkWords refuses a missing and an unexpected word', () => {
  checkWords('PID [CHANNEL...]', ['a', 'b', 'c']);
  assert.throws(() => checkWords('PID CHANNEL', ['a']), { detail: 'CHANNEL is missing' });
  assert.throws(() => checkWords('PID', ['a', 'b']), { detail: 'unexpected argument "b"' });
});
