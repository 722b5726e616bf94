import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';

import { listTree } from '../../../../daemon/cli/backup/file-tree.ts';
import { LeftOutList } from '../../../../daemon/cli/backup/left-out.ts';
import { EntryVanished } from '../../../../daemon/cli/backup/open-beneath.ts';
import { readTar } from '../../../../daemon/cli/backup/tar-archive.ts';
import type { TarEntry } from '../../../../daemon/cli/backup/tar-archive.ts';
import { writeTar } from '../../../../daemon/cli/backup/tar-writer.ts';
import { Unpacking } from '../../../../daemon/cli/backup/unpack.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

const PLAIN: TarEntry = {
  name: 'a',
  type: 'FILE',
  mode: 0o600,
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  sizeBytes: 0,
  mtimeSeconds: 1_700_000_000,
  target: '',
};
const ROOT: TarEntry = { ...PLAIN, name: 'root', type: 'DIRECTORY', mode: 0o750 };

async function* inPieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += 700) yield content.subarray(start, start + 700);
}

async function readEntries(archive: Buffer): Promise<readonly (TarEntry & { readonly text: string })[]> {
  const entries: (TarEntry & { readonly text: string })[] = [];
  for await (const { entry, content } of readTar(inPieces(archive))) {
    entries.push({ ...entry, text: (await buffer(content)).toString() });
  }
  return entries;
}

const archive = (...entries: readonly TarEntry[]): Promise<Buffer> =>
  buffer(
    writeTar(
      entries.map((entry) => ({ entry, content: Buffer.alloc(entry.sizeBytes, 'x') })),
      new LeftOutList(),
    ),
  );

async function unpack(t: Owner, bytes: Buffer): Promise<string> {
  const outside = createTemporaryDirectory(t);
  const own = (uid: number, gid: number) => ({ uid, gid });
  const unpacking = new Unpacking(path.join(outside, 'root'), new AbortController().signal);
  for await (const { entry, content } of readTar(inPieces(bytes))) {
    const [, ...rest] = entry.name.split('/');
    await unpacking.add(rest.join('/'), entry, content);
  }
  await unpacking.finish(own);
  return outside;
}

test('readTar gives back what writeTar was given, also long and foreign names and large numbers', async () => {
  const entries: readonly TarEntry[] = [
    ROOT,
    { ...PLAIN, name: 'root/short', sizeBytes: 3 },
    { ...PLAIN, name: `root/${'long-'.repeat(60)}`, sizeBytes: 512 },
    { ...PLAIN, name: 'root/Wärme', sizeBytes: 513, uid: 0o7777777 + 5, gid: 0o7777777 + 6 },
    { ...PLAIN, name: 'root/link', type: 'LINK', target: `/${'far/'.repeat(50)}` },
    { ...PLAIN, name: 'root/mode', mode: 0o4755 },
    { ...PLAIN, name: 'root/closed', mode: 0 },
    { ...PLAIN, name: 'root/old', mtimeSeconds: 0 },
    { ...PLAIN, name: 'root/later', mtimeSeconds: 2 ** 32 },
    { ...PLAIN, name: 'root/owner', uid: 0o1000000, gid: 0o1000001 },
  ];
  const read = await readEntries(await archive(...entries));
  assert.deepEqual(
    read.map(({ text: _text, ...entry }) => entry),
    entries,
  );
  assert.deepEqual(
    read.map(({ text }) => text.length),
    entries.map(({ sizeBytes }) => sizeBytes),
  );
});

test('the length of a record counts its own digits, whatever the length of the name', async () => {
  for (let length = 80; length < 130; length += 1) {
    const name = 'ü'.repeat(length);
    assert.deepEqual((await readEntries(await archive({ ...PLAIN, name })))[0]?.name, name);
  }
});

test('the program tar unpacks what writeTar writes', async (t) => {
  const folder = createTemporaryDirectory(t);
  const tree = path.join(folder, 'tree');
  mkdirSync(path.join(tree, 'inner'), { recursive: true });
  writeFileSync(path.join(tree, 'inner/Wärme'), 'content', { mode: 0o640 });
  writeFileSync(path.join(tree, 'inner', 'n'.repeat(200)), 'long');
  symlinkSync('inner', path.join(tree, 'link'));
  const items = await listTree({ name: 'packed', directory: tree, isWanted: () => true }, new LeftOutList());
  writeFileSync(path.join(folder, 'a.tar'), await buffer(writeTar(items, new LeftOutList())));
  execFileSync('tar', ['-xpf', 'a.tar'], { cwd: folder });
  assert.equal(readFileSync(path.join(folder, 'packed/link/Wärme'), 'utf8'), 'content');
  assert.equal(statSync(path.join(folder, 'packed/inner/Wärme')).mode & 0o777, 0o640);
  assert.ok(existsSync(path.join(folder, 'packed/inner', 'n'.repeat(200))));
});

test('readTar reads what the program tar packs', async (t) => {
  const folder = createTemporaryDirectory(t);
  writeFileSync(path.join(folder, 'Wärme'), 'content');
  for (const format of ['ustar', 'pax']) {
    const bytes = execFileSync('tar', [`--format=${format}`, '-cf', '-', 'Wärme'], { cwd: folder });
    const [entry] = await readEntries(bytes);
    assert.equal(entry?.text, 'content');
  }
});

for (const name of ['../outside', '/outside', 'root/../../outside', 'root//a', 'root/./a', '.', 'root/..']) {
  test(`an entry named ${name} is refused`, async () => {
    await assert.rejects(archive({ ...PLAIN, name }).then(readEntries), { code: 'ARCHIVE_INVALID' });
  });
}

for (const [what, entries] of [
  [
    'below a link',
    [ROOT, { ...PLAIN, name: 'root/l', type: 'LINK', target: '..' }, { ...PLAIN, name: 'root/l/a' }],
  ],
  ['below a file', [ROOT, { ...PLAIN, name: 'root/f' }, { ...PLAIN, name: 'root/f/a' }]],
  ['in a directory that is missing', [ROOT, { ...PLAIN, name: 'root/d/a' }]],
  ['of a name that was there', [ROOT, { ...PLAIN, name: 'root/a' }, { ...PLAIN, name: 'root/a' }]],
  [
    'that replaces a link',
    [ROOT, { ...PLAIN, name: 'root/l', type: 'LINK', target: '../a' }, { ...PLAIN, name: 'root/l' }],
  ],
  ['that comes before its folder', [{ ...PLAIN, name: 'root/a' }]],
] as const satisfies readonly (readonly [string, readonly TarEntry[]])[]) {
  test(`an entry ${what} is refused`, async (t) => {
    await assert.rejects(unpack(t, await archive(...entries)), { code: 'ARCHIVE_INVALID' });
  });
}

test('hard links, devices and pipes are refused', async () => {
  for (const flag of ['1', '3', '4', '6', 'g', 'L', 'K', 'S']) {
    const header = (await archive(PLAIN)).subarray(0, 512);
    header.write(flag, 156, 'latin1');
    const rest = header.toString('latin1', 0, 148) + ' '.repeat(8) + header.toString('latin1', 156);
    const sum = [...Buffer.from(rest, 'latin1')].reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const bytes = Buffer.concat([header, Buffer.alloc(1024)]);
    await assert.rejects(readEntries(bytes), { code: 'ARCHIVE_INVALID' }, flag);
  }
});

test('an archive that was cut, or continued, at any place is refused', async () => {
  const whole = await archive(ROOT, { ...PLAIN, name: 'root/a', sizeBytes: 700 });
  for (let length = 0; length < whole.length; length += 13) {
    await assert.rejects(readEntries(whole.subarray(0, length)), { code: 'ARCHIVE_INVALID' }, `${length}`);
  }
  await assert.rejects(readEntries(Buffer.concat([whole, Buffer.from('x')])), { code: 'ARCHIVE_INVALID' });
});

test('an archive with another one behind it is refused', async () => {
  const whole = await archive(ROOT);
  const other = await archive({ ...PLAIN, name: 'root/a' });
  for (const bytes of [
    Buffer.concat([whole, other]),
    Buffer.concat([whole.subarray(0, -512), other]),
    Buffer.concat([whole.subarray(0, 512), Buffer.alloc(512), other]),
  ]) {
    await assert.rejects(readEntries(bytes), { code: 'ARCHIVE_INVALID' });
  }
});

for (const record of ['size=-1', 'size=1x', 'size=99999999999999999999', 'uid=x', 'gid=1.5', 'mtime=now']) {
  test(`an entry with the record ${record} is refused`, async (t) => {
    const folder = createTemporaryDirectory(t);
    writeFileSync(path.join(folder, 'a'), 'content');
    const replaced = `x${'y'.repeat(record.length - 3)}=z`;
    const option = `--pax-option=${replaced.replace('=', ':=')}`;
    const bytes = execFileSync('tar', ['--format=pax', option, '-cf', '-', 'a'], { cwd: folder });
    // A record of the same length: what is before and after it stays right.
    const text = bytes.toString('latin1').replace(replaced, record);
    assert.ok(text.includes(record));
    await assert.rejects(readEntries(Buffer.from(text, 'latin1')), { code: 'ARCHIVE_INVALID' });
  });
}

test('readTar fails with the error of its source', async () => {
  const bytes = await archive(ROOT, { ...PLAIN, name: 'root/a', sizeBytes: 100_000 });
  async function* failing(): AsyncGenerator<Buffer> {
    yield* inPieces(bytes.subarray(0, 50_000));
    throw new RangeError('the source');
  }
  const read = async (): Promise<void> => {
    for await (const { content } of readTar(failing())) await buffer(content);
  };
  await assert.rejects(read, RangeError);
});

test('a directory that forbids to write is filled before it gets its mode', async (t) => {
  const locked: TarEntry = { ...ROOT, name: 'root/locked', mode: 0o500 };
  const outside = await unpack(
    t,
    await archive(ROOT, locked, { ...PLAIN, name: 'root/locked/a', sizeBytes: 5 }),
  );
  const [directory, file] = ['root/locked', 'root/locked/a'].map((name) =>
    statSync(path.join(outside, name)),
  );
  // Only root could remove it as it is.
  chmodSync(path.join(outside, 'root/locked'), 0o700);
  assert.equal(Number(directory?.mode) & 0o777, 0o500);
  assert.deepEqual([file?.size, file?.mtimeMs], [5, 1_700_000_000_000]);
});

for (const [what, replace] of [
  ['a link to a file outside', (file: string, outside: string) => symlinkSync(outside, file)],
  ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ['a directory', (file: string) => mkdirSync(file)],
  ['nothing', () => undefined],
] as const) {
  for (const isChanging of [false, true]) {
    const end = isChanging ? 'is left out' : 'begins the backup again';
    test(`a file that became ${what} ${end}`, async (t) => {
      const root = createTemporaryDirectory(t);
      const outside = path.join(createTemporaryDirectory(t), 'secret');
      writeFileSync(outside, 'secret');
      mkdirSync(path.join(root, 'kept'));
      const file = path.join(root, 'kept/data');
      writeFileSync(file, 'public');
      const items = await listTree(
        { name: 'root', directory: root, isChanging, isWanted: () => true },
        new LeftOutList(),
      );
      rmSync(file);
      replace(file, outside);
      const written = buffer(writeTar(items, new LeftOutList()));
      if (!isChanging) return assert.rejects(written, EntryVanished);
      const names = (await readEntries(await written)).map(({ name }) => name);
      assert.deepEqual(names, ['root', 'root/kept']);
    });
  }
}

test('a directory that became a link is not followed', async (t) => {
  const root = createTemporaryDirectory(t);
  const outside = createTemporaryDirectory(t);
  for (const folder of [root, outside]) mkdirSync(path.join(folder, 'kept'));
  writeFileSync(path.join(root, 'kept/data'), 'public');
  writeFileSync(path.join(outside, 'kept/data'), 'secret');
  const items = await listTree({ name: 'root', directory: root, isWanted: () => true }, new LeftOutList());
  rmSync(path.join(root, 'kept'), { recursive: true });
  symlinkSync(path.join(outside, 'kept'), path.join(root, 'kept'));
  await assert.rejects(buffer(writeTar(items, new LeftOutList())), EntryVanished);
});

test('set-user-id and set-group-id bits of an archive are dropped', async (t) => {
  const outside = await unpack(t, await archive(ROOT, { ...PLAIN, name: 'root/tool', mode: 0o6755 }));
  assert.equal(statSync(path.join(outside, 'root/tool')).mode & 0o7777, 0o755);
});
