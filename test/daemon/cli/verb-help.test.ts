import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  describeCommand,
  describeCommonOptions,
  describeUsage,
  describeVerb,
  describeVerbs,
} from '../../../daemon/cli/verb-help.ts';
import { VERBS } from '../../../daemon/cli/verbs.ts';
import { formatOptionsManual, formatVerbsManual } from '../../../packaging/manual-entries.ts';

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

test('the manual has every verb, command, option and example', () => {
  const manual = `${formatVerbsManual()}${formatOptionsManual()}`
    .replaceAll('\\-', '-')
    .replaceAll('\\(dq', '"');
  for (const verb of VERBS) {
    assert.ok(manual.includes(`.SS ${verb.name}\n`), verb.name);
    for (const { parameters, options = {}, examples = [] } of Object.values(verb.commands)) {
      for (const option of Object.keys(options)) assert.ok(manual.includes(`.B --${option}`), option);
      for (const example of examples) {
        assert.ok(manual.includes(example.replaceAll('\\', '\\e')), example);
      }
      assert.ok(manual.includes(parameters));
    }
  }
});
