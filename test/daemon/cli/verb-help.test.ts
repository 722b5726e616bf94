import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import {
  describeCommand,
  describeCommonOptions,
  describeUsage,
  describeVerb,
  describeVerbs,
} from '../../../daemon/cli/verb-help.ts';
import { findVerb } from '../../../daemon/cli/find-verb.ts';
import { VERB_SUBJECTS } from '../../../daemon/cli/verb-subjects.ts';
import { VERBS } from '../../../daemon/cli/verbs.ts';
import { formatOptionsManual, formatVerbPage, formatVerbsManual } from '../../../packaging/manual-entries.ts';
import { LEADING_OPTIONS } from '../../../daemon/cli/client/client-options.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { programOf } from '../../support/tools.ts';

const COMMANDS = VERBS.flatMap((verb) => Object.keys(verb.commands).map((name) => ({ verb, name })));

test('no line of any help is longer than 80 columns', () => {
  const texts = [
    describeVerbs(VERBS),
    describeCommonOptions(),
    ...VERBS.map(describeVerb),
    ...COMMANDS.map(({ verb, name }) => describeCommand(verb, name)),
    ...COMMANDS.map(({ verb, name }) => describeUsage(verb, [name])),
  ];
  const long = texts.flatMap((text) => text.split('\n')).filter(({ length }) => length > 80);
  assert.deepEqual(long, []);
});

test('the help of a command has its options, and names no option that every command has', () => {
  for (const { verb, name } of COMMANDS) {
    const text = describeCommand(verb, name);
    for (const option of Object.keys(verb.commands[name]?.options ?? {})) {
      assert.match(text, new RegExp(`^ {2}--${option}\\b`, 'm'), `${verb.name} ${name}`);
    }
    assert.doesNotMatch(text, /--token-file/);
  }
});

test('an error of usage shows the command that was meant, or the commands of the verb', () => {
  const asset = VERBS.find(({ name }) => name === 'asset');
  assert.ok(asset !== undefined);
  assert.match(
    describeUsage(asset, ['read']),
    /^Usage: penstock asset read PID \[CHANNEL\.\.\.\] \[OPTION\.\.\.\]\n/,
  );
  assert.match(describeUsage(asset, ['raed']), /^Usage: penstock asset COMMAND/);
});

test('the manual has a page for each verb, with every command, option and example', () => {
  const list = formatVerbsManual().replaceAll('\\-', '-');
  for (const verb of VERBS) {
    const { name, text } = formatVerbPage(verb, { version: '0.1.0', date: '2026-01-02' });
    assert.equal(name, `penstock-${verb.name}`);
    assert.ok(list.includes(`.BR ${name} (1)\n`), name);
    const page = text.replaceAll('\\-', '-').replaceAll('\\(dq', '"');
    for (const { parameters, options = {}, examples = [] } of Object.values(verb.commands)) {
      for (const option of Object.keys(options)) assert.ok(page.includes(`.B --${option}`), option);
      for (const example of examples) assert.ok(page.includes(example.replaceAll('\\', '\\e')), example);
      assert.ok(page.includes(parameters));
    }
  }
  for (const option of Object.keys(LEADING_OPTIONS)) {
    assert.ok(formatOptionsManual().replaceAll('\\-', '-').includes(`.B --${option}`), option);
  }
});

test('man and lexgrog read the page of each verb without a warning', needs('man', 'lexgrog'), (t) => {
  const folder = createTemporaryDirectory(t);
  for (const verb of VERBS) {
    const { name, text } = formatVerbPage(verb, { version: '0.1.0', date: '2026-01-02' });
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

test('each verb is found in the subject that the table names, and no other exists', async () => {
  assert.deepEqual(
    [...Object.keys(VERB_SUBJECTS), 'completion'],
    VERBS.map(({ name }) => name),
  );
  for (const verb of VERBS) {
    assert.equal((await findVerb(verb.name))?.name, verb.name);
  }
  assert.equal(await findVerb('nothing'), undefined);
});
