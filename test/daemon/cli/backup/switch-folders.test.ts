import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import {
  finishSwitch,
  switchFolders,
  journalPathOf,
  stagingPathOf,
} from '../../../../daemon/cli/backup/switch-folders.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

const NAMES = ['configuration', 'data'] as const;

function createFolders(t: Owner) {
  const base = createTemporaryDirectory(t);
  const folders = NAMES.map((name) => path.join(base, name));
  for (const folder of folders) {
    for (const [each, content] of [
      [folder, 'old'],
      [stagingPathOf(folder), 'new'],
    ] as const) {
      mkdirSync(each);
      writeFileSync(path.join(each, 'content'), content);
    }
  }
  return { base, folders, journal: journalPathOf(folders[0] ?? '') };
}

const readAll = (folders: readonly string[]): readonly string[] =>
  folders.map((folder) => readFileSync(path.join(folder, 'content'), 'utf8'));

test('switchFolders replaces every folder and leaves nothing beside them', async (t) => {
  const { base, folders, journal } = createFolders(t);
  await switchFolders(journal, folders);
  assert.deepEqual(readAll(folders), ['new', 'new']);
  assert.deepEqual(readdirSync(base).toSorted(), [...NAMES]);
});

test('switchFolders puts a folder where there was none', async (t) => {
  const { base, folders, journal } = createFolders(t);
  for (const folder of folders) rmSync(folder, { recursive: true });
  await switchFolders(journal, folders);
  assert.deepEqual(readAll(folders), ['new', 'new']);
  assert.deepEqual(readdirSync(base).toSorted(), [...NAMES]);
});

test('finishSwitch does nothing where nothing was decided', async (t) => {
  const { folders, journal } = createFolders(t);
  assert.equal(await finishSwitch(journal), false);
  assert.deepEqual(readAll(folders), ['old', 'old']);
});

/** What a loss of power leaves behind after each step that changes names, in their order. */
const STEPS = ['decided', 'old away 0', 'new in place 0', 'old away 1', 'new in place 1', 'old removed 0'];

for (const [count, step] of STEPS.entries()) {
  test(`finishSwitch does the rest of a switch that ended after: ${step}`, async (t) => {
    const { base, folders, journal } = createFolders(t);
    writeFileSync(journal, JSON.stringify(folders));
    const [first = '', second = ''] = folders;
    const move = (from: string, to: string): void => {
      cpSync(from, to, { recursive: true });
      rmSync(from, { recursive: true });
    };
    const steps = [
      () => move(first, `${first}.replaced`),
      () => move(stagingPathOf(first), first),
      () => move(second, `${second}.replaced`),
      () => move(stagingPathOf(second), second),
      () => rmSync(`${first}.replaced`, { recursive: true }),
    ];
    for (const run of steps.slice(0, count)) run();
    // As the service manager does before the service is started.
    if (!existsSync(first)) mkdirSync(first);
    assert.equal(await finishSwitch(journal), true);
    assert.deepEqual(readAll(folders), ['new', 'new']);
    assert.deepEqual(readdirSync(base).toSorted(), [...NAMES]);
    assert.equal(await finishSwitch(journal), false);
  });
}

test('a damaged journal is named, and nothing is moved', async (t) => {
  const directory = createTemporaryDirectory(t);
  const journal = journalPathOf(path.join(directory, 'penstock'));
  for (const content of ['not json', '{}', '["relative"]']) {
    writeFileSync(journal, content);
    await assert.rejects(finishSwitch(journal), {
      code: 'JOURNAL_INVALID',
      message: /penstock\.restore is damaged/,
    });
    assert.deepEqual(readdirSync(directory), ['penstock.restore']);
  }
});
