import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Reading files outside of the bundle, by every function and every spelling of a path. */
export const READING: readonly Attempt[] = [
  { title: 'fs.readFileSync', code: `fs.readFileSync(at.secret, 'utf8')` },
  { title: 'fs.readFile', code: `callback((done) => fs.readFile(at.secret, 'utf8', done))` },
  { title: 'fs.promises.readFile', code: `fsPromises.readFile(at.secret, 'utf8')` },
  {
    title: 'fs.openSync and fs.readSync',
    code: `{ const text = Buffer.alloc(99); fs.readSync(fs.openSync(at.secret), text); return text; }`,
  },
  {
    title: 'fs.open',
    code: `callback((done) => fs.open(at.secret, (error, fd) => error ? done(error) : fs.readFile(fd, 'utf8', done)))`,
  },
  {
    title: 'fs.promises.open',
    code: `{ const file = keep(await fsPromises.open(at.secret)); return file.readFile('utf8'); }`,
  },
  {
    title: 'fs.promises.open, reading lines',
    code: `{ const file = keep(await fsPromises.open(at.secret)); for await (const line of file.readLines()) return line; }`,
  },
  {
    title: 'fs.promises.open with O_PATH, then /proc/self/fd',
    code: `{ const file = keep(await fsPromises.open(at.secret, 0o10000000)); return fs.readFileSync('/proc/self/fd/' + file.fd, 'utf8'); }`,
  },
  {
    title: 'fs.openSync of the directory with O_DIRECTORY',
    code: `{ const fd = fs.openSync(at.folder, fs.constants.O_DIRECTORY); return fs.readdirSync('/proc/self/fd/' + fd); }`,
  },
  {
    title: 'fs.createReadStream',
    code: `once(fs.createReadStream(at.secret, 'utf8').on('data', (text) => console.log(text)), 'end')`,
  },
  {
    title: 'new fs.ReadStream',
    code: `once(new fs.ReadStream(at.secret).on('data', (text) => console.log(String(text))), 'end')`,
  },
  { title: 'fs.openAsBlob', code: `fs.openAsBlob(at.secret).then((blob) => blob.text())` },
  {
    title: 'fs.copyFileSync into the data directory',
    code: `fs.copyFileSync(at.secret, at.dataDirectory + '/copy')`,
  },
  {
    title: 'fs.copyFile into the data directory',
    code: `callback((done) => fs.copyFile(at.secret, at.dataDirectory + '/copy-1', done))`,
  },
  {
    title: 'fs.promises.copyFile with COPYFILE_FICLONE',
    code: `fsPromises.copyFile(at.secret, at.dataDirectory + '/copy-2', fs.constants.COPYFILE_FICLONE)`,
  },
  {
    title: 'fs.cpSync of the directory',
    code: `fs.cpSync(at.folder, at.dataDirectory + '/copy-3', { recursive: true })`,
  },
  { title: 'fs.cpSync of one file', code: `fs.cpSync(at.secret, at.dataDirectory + '/copy-4')` },
  {
    title: 'fs.cp of the directory',
    code: `callback((done) => fs.cp(at.folder, at.dataDirectory + '/copy-5', { recursive: true }, done))`,
  },
  {
    title: 'fs.promises.cp of the directory',
    code: `fsPromises.cp(at.folder, at.dataDirectory + '/copy-6', { recursive: true })`,
  },
  { title: 'fs.readdirSync', code: `fs.readdirSync(at.folder)` },
  {
    title: 'fs.readdirSync, recursive from above',
    code: `fs.readdirSync(path.dirname(at.folder), { recursive: true })`,
  },
  {
    title: 'fs.readdir with types',
    code: `callback((done) => fs.readdir(at.folder, { withFileTypes: true }, done))`,
  },
  { title: 'fs.promises.readdir', code: `fsPromises.readdir(at.folder)` },
  {
    title: 'fs.opendirSync',
    code: `{ const names = []; const folder = keep(fs.opendirSync(at.folder)); for (let entry; (entry = folder.readSync()); ) names.push(entry.name); return names; }`,
  },
  {
    title: 'fs.opendir',
    code: `callback((done) => fs.opendir(at.folder, (error, folder) => error ? done(error) : keep(folder).read(done)))`,
  },
  {
    title: 'fs.promises.opendir',
    code: `{ const names = []; for await (const { name } of await fsPromises.opendir(at.folder)) names.push(name); return names; }`,
  },
  {
    title: 'new fs.Dir over a handle of another directory',
    code: `{ const own = fs.opendirSync(at.dataDirectory); const other = new fs.Dir(Object.getOwnPropertySymbols(own).map((key) => own[key]).find((value) => value?.read), at.folder, {}); return other.readSync().name + other.path; }`,
  },
  { title: 'fs.globSync', code: `fs.globSync(at.folder + '/*')` },
  { title: 'fs.glob', code: `callback((done) => fs.glob(at.folder + '/**', done))` },
  {
    title: 'fs.promises.glob with cwd',
    code: `{ const names = []; for await (const name of fsPromises.glob('*', { cwd: at.folder })) names.push(name); return names; }`,
  },
  {
    title: 'fs.promises.glob that walks up',
    code: `{ const names = []; for await (const name of fsPromises.glob('../../canary/*/*', { cwd: at.dataDirectory })) names.push(name); return names; }`,
  },
  {
    title: 'a path with ..',
    code: `fs.readFileSync(at.dataDirectory + '/../../canary/' + path.basename(at.folder) + '/secret', 'utf8')`,
  },
  {
    title: 'a path with .. through a directory that is not there',
    code: `fs.readFileSync(at.dataDirectory + '/no/../../../canary/' + path.basename(at.folder) + '/secret', 'utf8')`,
  },
  {
    title: 'a path relative to the working directory',
    code: `fs.readFileSync(path.relative(process.cwd(), at.secret), 'utf8')`,
  },
  { title: 'a path as a Buffer', code: `fs.readFileSync(Buffer.from(at.secret), 'utf8')` },
  {
    title: 'a path with .. as a Buffer',
    code: `fs.readFileSync(Buffer.from(at.dataDirectory + '/../../canary/' + path.basename(at.folder) + '/secret'), 'utf8')`,
  },
  {
    title: 'a path as a Uint8Array with a toString of the bundle',
    code: `fs.readFileSync(Object.assign(new TextEncoder().encode(at.secret), { toString: () => at.dataDirectory + '/x' }), 'utf8')`,
  },
  { title: 'a path as a URL', code: `fs.readFileSync(url.pathToFileURL(at.secret), 'utf8')` },
  {
    title: 'a path as a URL with encoded dots',
    code: `fs.readFileSync(new URL('file://' + at.dataDirectory + '/%2e%2e/%2e%2e/canary/' + path.basename(at.folder) + '/secret'), 'utf8')`,
  },
  {
    title: 'a path as an object like a URL',
    code: `fs.readFileSync({ href: 'file://x', protocol: 'file:', hostname: '', pathname: at.secret, auth: undefined, path: undefined }, 'utf8')`,
  },
  { title: 'a path below /proc/self/root', code: `fs.readFileSync('/proc/self/root' + at.secret, 'utf8')` },
  {
    title: 'a path below /proc/self/cwd',
    code: `fs.readFileSync('/proc/self/cwd/../../canary/' + path.basename(at.folder) + '/secret', 'utf8')`,
  },
  {
    title: 'a path below /proc/thread-self/root',
    code: `fs.readFileSync('/proc/thread-self/root' + at.secret, 'utf8')`,
  },
  {
    title: 'a path with several slashes',
    code: `fs.readFileSync('//' + at.secret.replaceAll('/', '///'), 'utf8')`,
  },
  {
    title: 'a path that begins like the data directory',
    code: `{ const file = at.dataDirectory + '-secret/../../canary/' + path.basename(at.folder) + '/secret'; return fs.readFileSync(file, 'utf8'); }`,
  },
  {
    title: 'a path that ends with a wildcard',
    code: `fs.readFileSync(at.secret.slice(0, -1) + '*', 'utf8')`,
  },
  {
    title: 'a path with a NUL after an allowed part',
    code: `fs.readFileSync(at.dataDirectory + '/\\0/../../../..' + at.secret, 'utf8')`,
  },
  {
    title: 'a link in the data directory, absolute',
    code: `{ fs.symlinkSync(at.secret, at.dataDirectory + '/link'); return fs.readFileSync(at.dataDirectory + '/link', 'utf8'); }`,
  },
  {
    title: 'a link in the data directory, relative',
    code: `{ fs.symlinkSync(path.relative(at.dataDirectory, at.secret), at.dataDirectory + '/link-1'); return fs.readFileSync(at.dataDirectory + '/link-1', 'utf8'); }`,
  },
  {
    title: 'a link to the directory, by a promise',
    code: `{ await fsPromises.symlink(at.folder, at.dataDirectory + '/link-2'); return fsPromises.readFile(at.dataDirectory + '/link-2/secret', 'utf8'); }`,
  },
  {
    title: 'a link to the directory, by a callback',
    code: `{ await callback((done) => fs.symlink(at.folder, at.dataDirectory + '/link-3', done)); return fs.readFileSync(at.dataDirectory + '/link-3/secret', 'utf8'); }`,
  },
  {
    title: 'a link in steps that are each inside',
    code: `{ fs.mkdirSync(at.dataDirectory + '/a/b/c', { recursive: true }); fs.symlinkSync('..', at.dataDirectory + '/a/b/c/up'); return fs.readFileSync(at.dataDirectory + '/a/b/c/up/../../../../canary/' + path.basename(at.folder) + '/secret', 'utf8'); }`,
  },
  {
    title: 'a relative link that is moved up',
    code: `{ fs.mkdirSync(at.dataDirectory + '/m/n', { recursive: true }); fs.symlinkSync('../../x', at.dataDirectory + '/m/n/l'); fs.renameSync(at.dataDirectory + '/m/n/l', at.dataDirectory + '/l'); return fs.readlinkSync(at.dataDirectory + '/l') && fs.readFileSync(at.dataDirectory + '/l/../../canary/' + path.basename(at.folder) + '/secret', 'utf8'); }`,
  },
  {
    title: 'a hard link',
    code: `{ fs.linkSync(at.secret, at.dataDirectory + '/hard'); return fs.readFileSync(at.dataDirectory + '/hard', 'utf8'); }`,
  },
  {
    title: 'a hard link, by a promise',
    code: `{ await fsPromises.link(at.secret, at.dataDirectory + '/hard-1'); return fs.readFileSync(at.dataDirectory + '/hard-1', 'utf8'); }`,
  },
  {
    title: 'fs.renameSync into the data directory',
    code: `{ fs.renameSync(at.secret, at.dataDirectory + '/moved'); return fs.readFileSync(at.dataDirectory + '/moved', 'utf8'); }`,
  },
  {
    title: 'fs.promises.rename of the directory into the data directory',
    code: `fsPromises.rename(at.folder, at.dataDirectory + '/moved-1')`,
  },
  { title: 'fs.statfsSync', code: `tell(at, (file) => fs.statfsSync(file).type)` },
  {
    title: 'the environment of another process',
    code: `fs.readFileSync('/proc/' + at.pid + '/environ', 'latin1')`,
  },
  {
    title: 'the environment of the parent',
    code: `fs.readFileSync('/proc/' + process.ppid + '/environ', 'latin1')`,
  },
  {
    title: 'the memory of the parent',
    code: `{ const text = Buffer.alloc(4096); const maps = fs.readFileSync('/proc/' + process.ppid + '/maps', 'utf8'); fs.readSync(fs.openSync('/proc/' + process.ppid + '/mem'), text, 0, 4096, parseInt(maps.split('-')[0], 16)); return 'canary' && fs.readFileSync('/proc/' + process.ppid + '/environ', 'latin1'); }`,
  },
  {
    title: 'a file that another process has open',
    code: `fs.readFileSync('/proc/' + process.ppid + '/fd/9', 'utf8')`,
  },
  {
    title: 'the directory of another process',
    code: `fs.readdirSync('/proc/' + process.ppid + '/cwd' + at.folder)`,
  },
  { title: 'process.env', code: `JSON.stringify(process.env)` },
  {
    title: 'process.env of the module process',
    code: `import('node:process').then(({ env }) => JSON.stringify(env))`,
  },
  ...Array.from({ length: 12 }, (_nothing, index) => ({
    title: `descriptor ${index + 4}`,
    code: `{ const text = Buffer.alloc(99); fs.readSync(${index + 4}, text, 0, 99, 0); return text; }`,
  })),
  {
    title: 'every descriptor up to 1023, by fs.fstatSync and fs.readSync',
    code: `{ const found = []; for (let fd = 0; fd < 1024; fd += 1) { if (fd === 3) continue; try { if (!fs.fstatSync(fd).isFile()) continue; const text = Buffer.alloc(99); fs.readSync(fd, text, 0, 99, 0); found.push(String(text)); } catch {} } return found; }`,
  },
  {
    title: 'fs.createReadStream over a descriptor',
    code: `once(fs.createReadStream('', { fd: 4, start: 0, autoClose: false }).on('data', (text) => console.log(String(text))), 'end')`,
  },
];
