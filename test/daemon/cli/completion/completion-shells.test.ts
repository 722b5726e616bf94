import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../../../support/tests-that-need.ts';
import { startTypingShell } from '../../../support/typing-shell.ts';

const NAMES = [
  'boiler room',
  "driver's",
  'line:1:north',
  'key=value',
  'say "hello"',
  '$(touch x)`id`',
  'back\\slash',
  'pump',
  'pump.north',
  'assets.heating.',
];

for (const [shell, tools] of [
  ['bash', []],
  ['zsh', ['zsh']],
  ['fish', ['fish']],
] as const) {
  test(
    `${shell} at a terminal completes commands, subcommands, options and names`,
    needs(...tools),
    async (t) => {
      const typist = await startTypingShell(t, shell, NAMES);
      for (const [line, words] of [
        ['penstock cert', ['certificate']],
        ['penstock asset wri', ['asset', 'write']],
        ['penstock asset read boi', ['asset', 'read', 'boiler room']],
        ['penstock asset read boiler\\ r', ['asset', 'read', 'boiler room']],
        ["penstock asset read 'boiler r", ['asset', 'read', 'boiler room']],
        ['penstock asset read "boiler r', ['asset', 'read', 'boiler room']],
        ['penstock asset read driv', ['asset', 'read', "driver's"]],
        ['penstock asset read "driv', ['asset', 'read', "driver's"]],
        ['penstock asset read li', ['asset', 'read', 'line:1:north']],
        ['penstock asset read line:', ['asset', 'read', 'line:1:north']],
        ['penstock asset read line:1:n', ['asset', 'read', 'line:1:north']],
        ['penstock asset read line:1:north pump.', ['asset', 'read', 'line:1:north', 'pump.north']],
        ['penstock asset read key=v', ['asset', 'read', 'key=value']],
        ['penstock asset read say', ['asset', 'read', 'say "hello"']],
        ["penstock asset read '$", ['asset', 'read', '$(touch x)`id`']],
        ['penstock asset read back', ['asset', 'read', 'back\\slash']],
        ['penstock config set assets.h', ['config', 'set', 'assets.heating.']],
      ] as const) {
        assert.deepEqual(await typist.complete(line), words, line);
      }
    },
  );

  test(`${shell} puts no blank after a path that goes on`, needs(...tools), async (t) => {
    const typist = await startTypingShell(t, shell, NAMES);
    const words = await typist.complete('penstock config set assets.h\tdriver');
    assert.deepEqual(words, ['config', 'set', 'assets.heating.driver']);
  });
}
