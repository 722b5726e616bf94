import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import {
  describeCommand,
  describeCommonOptions,
  describeUsage,
  describeCommandGroup,
  describeCommandGroups,
} from '../../../daemon/cli/command-help.ts';
import { findCommandGroup } from '../../../daemon/cli/find-command-group.ts';
import { COMMAND_SUBJECTS } from '../../../daemon/cli/command-subjects.ts';
import { COMMAND_GROUPS } from '../../../daemon/cli/command-groups.ts';
import {
  formatOptionsManual,
  formatCommandPage,
  formatCommandsManual,
} from '../../../packaging/manual-entries.ts';
import { LEADING_OPTIONS } from '../../../daemon/cli/client/client-options.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { programOf } from '../../support/tools.ts';

const COMMANDS = COMMAND_GROUPS.flatMap((group) =>
  Object.keys(group.commands).map((name) => ({ group, name })),
);

test('no line of any help is longer than 80 columns', () => {
  const texts = [
    describeCommandGroups(COMMAND_GROUPS),
    describeCommonOptions(),
    ...COMMAND_GROUPS.map(describeCommandGroup),
    ...COMMANDS.map(({ group, name }) => describeCommand(group, name)),
    ...COMMANDS.map(({ group, name }) => describeUsage(group, [name])),
  ];
  const long = texts.flatMap((text) => text.split('\n')).filter(({ length }) => length > 80);
  assert.deepEqual(long, []);
});

test('the help of a command has its options, and names no option that every command has', () => {
  for (const { group, name } of COMMANDS) {
    const text = describeCommand(group, name);
    for (const option of Object.keys(group.commands[name]?.options ?? {})) {
      assert.match(text, new RegExp(`^ {2}--${option}\\b`, 'm'), `${group.name} ${name}`);
    }
    assert.doesNotMatch(text, /--token-file/);
  }
});

test('a usage error shows the usage of the subcommand, or the subcommands of the command', () => {
  const asset = COMMAND_GROUPS.find(({ name }) => name === 'asset');
  assert.ok(asset !== undefined);
  assert.match(
    describeUsage(asset, ['read']),
    /^Usage: penstock asset read PID \[CHANNEL\.\.\.\] \[OPTION\.\.\.\]\n/,
  );
  assert.match(describeUsage(asset, ['raed']), /^Usage: penstock asset SUBCOMMAND/);
});

test('the manual has a page for each command, with every subcommand, option and example', () => {
  const list = formatCommandsManual().replaceAll('\\-', '-');
  for (const group of COMMAND_GROUPS) {
    const { name, text } = formatCommandPage(group, { version: '0.1.0', date: '2026-01-02' });
    assert.equal(name, `penstock-${group.name}`);
    assert.ok(list.includes(`.BR ${name} (1)\n`), name);
    const page = text.replaceAll('\\-', '-').replaceAll('\\(dq', '"');
    for (const { parameters, options = {}, examples = [] } of Object.values(group.commands)) {
      for (const option of Object.keys(options)) assert.ok(page.includes(`.B --${option}`), option);
      for (const example of examples) assert.ok(page.includes(example.replaceAll('\\', '\\e')), example);
      assert.ok(page.includes(parameters));
    }
  }
  for (const option of Object.keys(LEADING_OPTIONS)) {
    assert.ok(formatOptionsManual().replaceAll('\\-', '-').includes(`.B --${option}`), option);
  }
});

test('man and lexgrog read the page of each command without a warning', needs('man', 'lexgrog'), (t) => {
  const folder = createTemporaryDirectory(t);
  for (const group of COMMAND_GROUPS) {
    const { name, text } = formatCommandPage(group, { version: '0.1.0', date: '2026-01-02' });
    const file = path.join(folder, `${name}.1`);
    writeFileSync(file, text);
    // As lintian does.
    const environment = { ...process.env, LC_ALL: 'C.UTF-8', MANROFFSEQ: '', MANWIDTH: '80' };
    const words = ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', file];
    const { status, stderr } = spawnSync(programOf('man'), words, { env: environment, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, ''], name);
    const whatis = spawnSync(programOf('lexgrog'), [file], { encoding: 'utf8' });
    assert.match(whatis.stdout, new RegExp(`"${name} - `), name);
  }
});

test('each command is found in its subject of the table, and no other exists', async () => {
  assert.deepEqual(
    [...Object.keys(COMMAND_SUBJECTS), 'completion'],
    COMMAND_GROUPS.map(({ name }) => name),
  );
  for (const group of COMMAND_GROUPS) {
    assert.equal((await findCommandGroup(group.name))?.name, group.name);
  }
  assert.equal(await findCommandGroup('nothing'), undefined);
});
