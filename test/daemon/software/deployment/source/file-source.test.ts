import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { openPackageFile } from '../../../../../daemon/software/deployment/source/package-source.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';
import { makeWaitingPipe } from '../../../../support/waiting-pipe.ts';

const never = new AbortController().signal;
const refusal = { reason: 'OTHER_ERROR' };

test('a file below an allowed directory is read, also over a link', async (t) => {
  const directory = createTemporaryDirectory(t);
  const [file, link] = [path.join(directory, 'a.dp'), path.join(directory, 'link.dp')];
  writeFileSync(file, 'content');
  symlinkSync(file, link);
  for (const each of [file, link]) {
    const { chunks, sizeBytes } = await openPackageFile(pathToFileURL(each), [directory], never);
    assert.equal(sizeBytes, 7);
    assert.equal((await buffer(chunks)).toString(), 'content');
  }
});

test('a pipe is refused without being opened, inside of the directories and outside', async (t) => {
  const directory = createTemporaryDirectory(t);
  const pipe = await makeWaitingPipe(t, directory);
  for (const directories of [[directory], []]) {
    await assert.rejects(openPackageFile(pathToFileURL(pipe.file), directories, never), refusal);
  }
  assert.equal(await pipe.takeText(), 'text');
});

test('devices, directories, names with NUL and files elsewhere are refused', async (t) => {
  const directory = createTemporaryDirectory(t);
  mkdirSync(path.join(directory, 'allowed'));
  writeFileSync(path.join(directory, 'outside.dp'), 'content');
  symlinkSync(path.join(directory, 'outside.dp'), path.join(directory, 'allowed', 'link.dp'));
  symlinkSync('/dev/zero', path.join(directory, 'allowed', 'zero.dp'));
  const urls = [
    'file:///dev/zero',
    `file://${directory}/outside.dp`,
    `file://${directory}/allowed`,
    `file://${directory}/allowed/link.dp`,
    `file://${directory}/allowed/zero.dp`,
    `file://${directory}/allowed/absent.dp`,
    `file://${directory}/allowed/a%00.dp`,
    `file://${directory}/allowed/%ff.dp`,
  ];
  for (const url of urls) {
    await assert.rejects(
      openPackageFile(new URL(url), [path.join(directory, 'allowed')], never),
      refusal,
      url,
    );
  }
});
