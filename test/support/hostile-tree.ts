import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

import { removeTree } from '../../daemon/base/file/remove-tree.ts';
import { makeDeepPath } from './deep-path.ts';

// A process that makes a directory in which nothing is easy to remove, removes it, and reports what is left. It runs as an
// ordinary user: root ignores modes.

const [kind = '', root = '', outside = ''] = process.argv.slice(2);

const builders: Readonly<Record<string, () => void | Promise<void>>> = {
  'directories without rights'() {
    for (const mode of [0o000, 0o555, 0o111, 0o444]) {
      const inner = path.join(root, `mode-${mode}`, 'inner', 'innermost');
      mkdirSync(inner, { recursive: true });
      writeFileSync(path.join(inner, 'file'), '');
      for (let each = inner; each !== root; each = path.dirname(each)) chmodSync(each, mode);
    }
    chmodSync(root, 0o000);
  },
  'a path longer than the system allows'() {
    makeDeepPath(root, 5000);
  },
  'names that are not UTF-8'() {
    const names = [
      Buffer.from([0xff, 0xfe]),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('\n\t'),
      Buffer.from('..a'),
    ];
    for (const name of names) {
      const directory = Buffer.concat([Buffer.from(`${root}/`), name]);
      mkdirSync(directory);
      writeFileSync(Buffer.concat([directory, Buffer.from('/'), name]), '');
    }
  },
  'a hundred thousand files'() {
    for (let folder = 0; folder < 10; folder += 1) mkdirSync(path.join(root, String(folder)));
    for (let file = 0; file < 50_000; file += 1) writeFileSync(path.join(root, `file-${file}`), '');
    for (let file = 0; file < 50_000; file += 1)
      writeFileSync(path.join(root, String(file % 10), `f${file}`), '');
  },
  async 'pipes, sockets and links'() {
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    process.chdir(root);
    const server = createServer().listen('socket');
    await once(server, 'listening');
    // Left behind, as by a process that was killed.
    server.unref();
    mkdirSync('folder');
    for (const [name, target] of [
      ['link', outside],
      ['folder/link', `${outside}/folder`],
      ['dangling', '/nonexistent'],
      ['loop', 'loop'],
      ['folder/up', '..'],
    ] as const) {
      symlinkSync(target, name);
    }
    process.chdir('/');
  },
  'a link in its place'() {
    symlinkSync(outside, `${root}.link`);
  },
};

mkdirSync(root);
await builders[kind]?.();
const target = kind === 'a link in its place' ? `${root}.link` : root;
const failures = await removeTree(target);
process.stdout.write(JSON.stringify({ failures, isLeft: existsSync(target) }));
process.exit();
