import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { listCompletions } from '../../../../daemon/cli/completion/completion-words.ts';
import type { NameSource } from '../../../../daemon/cli/completion/completion-words.ts';
import { writeCompletion } from '../../../../daemon/cli/completion/completion-script.ts';
import { COMMAND_GROUPS } from '../../../../daemon/cli/command-groups.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const asked: string[] = [];
const SOURCE: NameSource = {
  listNames(kind, { words, options }) {
    asked.push([kind, ...words, ...Object.keys(options)].join(' '));
    return Promise.resolve([`${kind}1`, `${kind}2`]);
  },
  listSettings: (of) => Promise.resolve(of === 'driver' ? ['host', 'port'] : ['address.unitId']),
};

for (const [line, found] of [
  ['ass', ['asset']],
  ['help as', ['asset']],
  ['help asset li', ['list', 'listen']],
  ['asset rea', ['read']],
  ['asset read ', ['asset1', 'asset2']],
  ['asset read asset1 channel1 ', ['channel1', 'channel2']],
  ['asset status asset1 ', []],
  ['asset read --url https://gateway asset1 ch', ['channel1', 'channel2']],
  ['asset read --json ', ['asset1', 'asset2']],
  ['driver add plc --type ', ['driverType1', 'driverType2']],
  ['driver add plc --type modbus --ho', ['--host']],
  ['channel set asset1 channel1 --addr', ['--address.unitId']],
  ['identity create scada --permission ', ['permission1', 'permission2']],
  ['session end ', ['session1', 'session2']],
  ['session end --identity ', ['identity1', 'identity2']],
  ['token re', ['revoke']],
  ['token revoke ', ['identity1', 'identity2']],
  ['certificate issue scada --format ', ['pem', 'pkcs12']],
  ['status --so', ['--socket']],
  ['asset constructor ', []],
  ['config set ke', ['key1', 'key2']],
  ['config set key1 ', []],
  ['nothing ', []],
] as const) {
  test(`"penstock ${line}" can go on with ${found.join(', ') || 'nothing known'}`, async () => {
    assert.deepEqual(await listCompletions(COMMAND_GROUPS, line.split(' '), SOURCE), found);
  });
}

test('names depend on the words and options before them', async () => {
  asked.length = 0;
  await listCompletions(COMMAND_GROUPS, ['asset', 'write', '--socket', '/x', 'boiler', ''], SOURCE);
  assert.deepEqual(asked, ['channel boiler socket']);
});

/** Completes a command line as bash does; `penstock` prints the names. */
function completeInBash(directory: string, words: readonly string[], names: string): readonly string[] {
  const file = path.join(directory, 'completion');
  writeFileSync(file, writeCompletion('bash', COMMAND_GROUPS));
  const program = path.join(directory, 'penstock');
  writeFileSync(program, `#!/bin/sh\n[ "$1 $2" = "completion words" ] && cat <<'END'\n${names}\nEND\n`);
  chmodSync(program, 0o755);
  const script = `. "$1"; shift; COMP_WORDS=(penstock "$@"); COMP_LINE="penstock $*"; COMP_CWORD=$#; _penstock; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', file, ...words], {
    encoding: 'utf8',
    env: { PATH: `${directory}:${process.env['PATH'] ?? ''}` },
  })
    .trimEnd()
    .split('\n');
}

test('the completion of bash contains commands, subcommands and options, and requests names', (t) => {
  const directory = createTemporaryDirectory(t);
  const complete = (words: readonly string[], names = ''): readonly string[] =>
    completeInBash(directory, words, names);
  assert.deepEqual(complete(['cert']), ['certificate']);
  assert.deepEqual(complete(['asset', 'lis']), ['list', 'listen']);
  assert.deepEqual(complete(['status', '--tok']), ['--token-file']);
  assert.deepEqual(complete(['config', 'replace', '--dry']), ['--dry-run']);
  assert.deepEqual(complete(['asset', 'read', ''], 'boiler\npump'), ['boiler', 'pump']);
});

test('the completion of bash runs no name of an asset', (t) => {
  const directory = createTemporaryDirectory(t);
  const [word = ''] = completeInBash(directory, ['asset', 'read', ''], '$(touch${IFS}x)`id`');
  assert.equal(
    execFileSync('bash', ['-c', `printf %s ${word}`], { encoding: 'utf8' }),
    '$(touch${IFS}x)`id`',
  );
});

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  test(`the completion of ${shell} has every command and subcommand`, () => {
    const script = writeCompletion(shell, COMMAND_GROUPS);
    for (const { name, commands } of COMMAND_GROUPS) {
      for (const word of [name, ...Object.keys(commands)]) assert.ok(script.includes(word), word);
    }
  });
}
