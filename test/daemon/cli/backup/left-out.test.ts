import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  appendFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';

import { listTree } from '../../../../daemon/cli/backup/file-tree.ts';
import {
  LeftOutList,
  describeLeftOut,
  formatLeftOut,
  parseLeftOut,
} from '../../../../daemon/cli/backup/left-out.ts';
import { EntryVanished } from '../../../../daemon/cli/backup/open-beneath.ts';
import { readTar } from '../../../../daemon/cli/backup/tar-archive.ts';
import { writeTar } from '../../../../daemon/cli/backup/tar-writer.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const everything = (): boolean => true;

async function readEntries(archive: AsyncIterable<Uint8Array>) {
  const entries: { readonly name: string; readonly content: Buffer }[] = [];
  for await (const { entry, content } of readTar(archive)) {
    entries.push({ name: entry.name, content: await buffer(content) });
  }
  return entries;
}

test('pipes, sockets, links that lead outside and names of other bytes in the data of bundles are noted', async (t) => {
  const directory = createTemporaryDirectory(t);
  const at = (name: string): string => path.join(directory, name);
  mkdirSync(at('packages/data'), { recursive: true });
  execFileSync('mkfifo', [at('packages/data/pipe')]);
  const server = createServer().listen(at('packages/data/socket'));
  t.after(() => server.close());
  symlinkSync('/etc/shadow', at('packages/data/outside'));
  symlinkSync('kept', at('packages/data/inside'));
  writeFileSync(at('packages/data/kept'), 'kept');
  writeFileSync(Buffer.concat([Buffer.from(at('packages/data/')), Buffer.from([0x61, 0xff])]), '');
  const leftOut = new LeftOutList();
  const folder = { name: 'data', directory, start: 'packages/data', isChanging: true, isWanted: everything };
  const listed = await listTree(folder, leftOut);
  assert.deepEqual(
    listed.map(({ entry }) => entry.name).toSorted(),
    ['', '/inside', '/kept', '/outside'].map((name) => `data/packages/data${name}`),
  );
  assert.deepEqual(
    new Map(leftOut.get().entries.map(({ name, reason }) => [path.basename(name), reason])),
    new Map([
      ['a\u00FF', 'NAME_INVALID'],
      ['outside', 'LINK'],
      ['pipe', 'PIPE'],
      ['socket', 'SOCKET'],
    ]),
  );
});

test('directories as deep as a bundle can make them are left out where a path would be too long', async (t) => {
  const directory = createTemporaryDirectory(t);
  const deepen =
    'for (let i = 0; i < 40; i += 1) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }';
  execFileSync(process.execPath, ['-e', deepen], { cwd: directory });
  t.after(() => execFileSync('rm', ['-rf', directory]));
  const leftOut = new LeftOutList();
  const listed = await listTree({ name: 'data', directory, isChanging: true, isWanted: everything }, leftOut);
  assert.equal(listed.length, 20);
  assert.deepEqual(
    leftOut.get().entries.map(({ reason }) => reason),
    ['NAME_LONG'],
  );
});

test('a directory that becomes a link while it is listed is not followed', async (t) => {
  const directory = createTemporaryDirectory(t);
  const outside = createTemporaryDirectory(t);
  mkdirSync(path.join(directory, 'kept'));
  writeFileSync(path.join(directory, 'kept/data'), 'public');
  symlinkSync('/root/secret-name', path.join(outside, 'data'));
  const replaceOnce = (relative: string): boolean => {
    if (relative === 'kept/data') {
      renameSync(path.join(directory, 'kept'), path.join(directory, 'moved'));
      symlinkSync(outside, path.join(directory, 'kept'));
    }
    return true;
  };
  const leftOut = new LeftOutList();
  const listed = await listTree(
    { name: 'data', directory, isChanging: true, isWanted: replaceOnce },
    leftOut,
  );
  assert.ok(listed.every(({ entry }) => entry.target === ''));
  const entries = await readEntries(writeTar(listed, leftOut));
  assert.deepEqual(
    entries.map(({ name }) => name),
    ['data', 'data/kept'],
  );
  assert.deepEqual(leftOut.get().entries, [{ name: 'data/kept/data', reason: 'VANISHED' }]);
});

for (const [what, change, length, reasons] of [
  ['becomes shorter', (file: string) => truncateSync(file, 1_000_000), 8_000_000, ['SHORTENED']],
  ['becomes longer', (file: string) => appendFileSync(file, Buffer.alloc(1_000_000, 'y')), 8_000_000, []],
  ['is removed', (file: string) => rmSync(file), 8_000_000, []],
] as const) {
  test(`a file of a bundle that ${what} while it is read stays one whole entry`, async (t) => {
    const directory = createTemporaryDirectory(t);
    const file = path.join(directory, 'log');
    writeFileSync(file, Buffer.alloc(length, 'x'));
    writeFileSync(path.join(directory, 'other'), 'after it');
    const leftOut = new LeftOutList();
    const folder = { name: 'data', directory, isChanging: true, isWanted: everything };
    const items = (await listTree(folder, leftOut)).toSorted((a, b) =>
      a.entry.name < b.entry.name ? -1 : 1,
    );
    let isChanged = false;
    async function* changing(): AsyncGenerator<Uint8Array> {
      for await (const piece of writeTar(items, leftOut)) {
        yield piece;
        if (piece.length > 512 && !isChanged) change(file);
        isChanged ||= piece.length > 512;
      }
    }
    const [, log, other] = await readEntries(changing());
    assert.equal(log?.content.length, length);
    assert.equal(log.content[0], 0x78);
    assert.equal(other?.content.toString(), 'after it');
    assert.deepEqual(
      leftOut.get().entries,
      reasons.map((reason) => ({ name: 'data/log', reason })),
    );
  });
}

test('a file of a bundle has the size in the archive that it has when it is read, not when it was listed', async (t) => {
  const directory = createTemporaryDirectory(t);
  writeFileSync(path.join(directory, 'log'), 'long text');
  const leftOut = new LeftOutList();
  const folder = { name: 'data', directory, isChanging: true, isWanted: everything };
  const items = await listTree(folder, leftOut);
  writeFileSync(path.join(directory, 'log'), 'short');
  const [, log] = await readEntries(writeTar(items, leftOut));
  assert.equal(log?.content.toString(), 'short');
  assert.equal(leftOut.get().count, 0);
});

test('something that vanishes while a folder is listed that does not change by itself begins the backup again', async (t) => {
  const directory = createTemporaryDirectory(t);
  mkdirSync(path.join(directory, 'kept'));
  const remove = (relative: string): boolean => {
    rmSync(path.join(directory, relative), { recursive: true });
    return true;
  };
  await assert.rejects(
    listTree({ name: 'configuration', directory, isWanted: remove }, new LeftOutList()),
    EntryVanished,
  );
});

test('a list of what was left out names the first ones, counts all, and is read as it was written', () => {
  const list = new LeftOutList();
  for (let index = 0; index < 1000; index += 1) list.add(`data/\u001B[31m${index}`, 'PIPE');
  const leftOut = list.get();
  assert.deepEqual([leftOut.count, leftOut.entries.length], [1000, 100]);
  assert.deepEqual(parseLeftOut(formatLeftOut(leftOut)), leftOut);
  const lines = describeLeftOut(leftOut).trimEnd().split('\n');
  assert.deepEqual([lines.length, lines.at(-1)], [21, 'left out: and 980 more']);
  assert.ok(!lines.join('').includes('\u001B'));
  assert.throws(() => parseLeftOut(Buffer.from('{"count": -1}')), { code: 'ARCHIVE_INVALID' });
});
