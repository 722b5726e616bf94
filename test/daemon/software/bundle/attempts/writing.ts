import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Functions of `fs` that change a file or its description, with their arguments after the path. */
const CHANGES: readonly (readonly [name: string, args: string])[] = [
  ['writeFile', `, 'x'`],
  ['appendFile', `, 'x'`],
  ['truncate', ', 1'],
  ['chmod', ', 0o777'],
  ['chown', ', 1, 1'],
  ['lchown', ', 1, 1'],
  ['utimes', ', 1, 1'],
  ['lutimes', ', 1, 1'],
  ['unlink', ''],
  ['rm', ''],
];

/** Functions of `fs` that create something at a path. */
const CREATIONS: readonly (readonly [name: string, args: string])[] = [
  ['writeFile', `, 'x'`],
  ['mkdir', ''],
  ['mkdtemp', ''],
  ['open', `, 'w'`],
  ['open', `, 'ax+'`],
];

const isSyncName = (name: string): string => `${name}Sync`;

/** Changing, creating and removing files outside of the data directory. */
export const WRITING: readonly Attempt[] = [
  ...CHANGES.flatMap(([name, args]) => [
    { title: `fs.${isSyncName(name)}`, code: `fs.${isSyncName(name)}(at.secret${args})` },
    { title: `fs.${name}`, code: `callback((done) => fs.${name}(at.secret${args}, done))` },
    { title: `fs.promises.${name}`, code: `fsPromises.${name}(at.secret${args})` },
  ]),
  ...CREATIONS.flatMap(([name, args]) => [
    {
      title: `fs.${isSyncName(name)} of a new path${args}`,
      code: `fs.${isSyncName(name)}(at.absent${args})`,
    },
    {
      title: `fs.promises.${name} of a new path${args}`,
      code: `fsPromises.${name}(at.absent${args}).then(keep)`,
    },
  ]),
  { title: 'fs.createWriteStream', code: `once(fs.createWriteStream(at.secret).end('x'), 'finish')` },
  {
    title: 'new fs.WriteStream',
    code: `once(new fs.WriteStream(at.secret, { flags: 'a' }).end('x'), 'finish')`,
  },
  {
    title: 'new fs.Utf8Stream',
    code: `{ const stream = keep(new fs.Utf8Stream({ dest: at.secret, sync: true })); stream.write('x'); stream.flushSync(); return 'written'; }`,
  },
  {
    title: 'new fs.Utf8Stream that makes directories',
    code: `{ const stream = keep(new fs.Utf8Stream({ dest: at.absent + '/log', mkdir: true, sync: true })); stream.write('x'); stream.flushSync(); return 'written'; }`,
  },
  {
    title: 'fs.Utf8Stream.reopen',
    code: `{ const stream = keep(new fs.Utf8Stream({ dest: at.dataDirectory + '/log', sync: true })); stream.reopen(at.absent); stream.write('x'); stream.flushSync(); return 'written'; }`,
  },
  { title: 'fs.mkdirSync, recursive', code: `fs.mkdirSync(at.absent + '/a/b', { recursive: true })` },
  { title: 'fs.rmSync of the directory', code: `fs.rmSync(at.folder, { recursive: true, force: true })` },
  { title: 'fs.rmdirSync', code: `{ fs.mkdirSync(at.absent); fs.rmdirSync(at.absent); return 'removed'; }` },
  { title: 'fs.rmSync of everything below the parent', code: `fs.rmSync(at.project, { recursive: true })` },
  { title: 'fs.mkdtempDisposableSync', code: `fs.mkdtempDisposableSync(at.absent).path` },
  {
    title: 'fs.copyFileSync over a file',
    code: `{ fs.writeFileSync(at.dataDirectory + '/own', 'x'); fs.copyFileSync(at.dataDirectory + '/own', at.secret); }`,
  },
  {
    title: 'fs.cpSync over a file',
    code: `{ fs.writeFileSync(at.dataDirectory + '/own', 'x'); fs.cpSync(at.dataDirectory + '/own', at.secret, { force: true }); }`,
  },
  {
    title: 'fs.cpSync of a directory to the outside',
    code: `{ fs.mkdirSync(at.dataDirectory + '/tree/a', { recursive: true }); fs.cpSync(at.dataDirectory + '/tree', at.absent, { recursive: true }); }`,
  },
  {
    title: 'fs.promises.cp of a directory to the outside',
    code: `{ fs.mkdirSync(at.dataDirectory + '/tree/a', { recursive: true }); await fsPromises.cp(at.dataDirectory + '/tree', at.absent, { recursive: true }); }`,
  },
  {
    title: 'fs.renameSync over a file',
    code: `{ fs.writeFileSync(at.dataDirectory + '/own', 'x'); fs.renameSync(at.dataDirectory + '/own', at.secret); }`,
  },
  { title: 'fs.renameSync inside the directory', code: `fs.renameSync(at.secret, at.absent)` },
  {
    title: 'fs.linkSync into the directory',
    code: `{ fs.writeFileSync(at.dataDirectory + '/own', 'x'); fs.linkSync(at.dataDirectory + '/own', at.absent); }`,
  },
  {
    title: 'fs.linkSync, then writing through the link',
    code: `{ fs.linkSync(at.secret, at.dataDirectory + '/hard'); fs.writeFileSync(at.dataDirectory + '/hard', 'x'); }`,
  },
  { title: 'fs.symlinkSync into the directory', code: `fs.symlinkSync('/tmp', at.absent)` },
  {
    title: 'fs.symlinkSync, then writing through the link',
    code: `{ fs.symlinkSync(at.folder, at.dataDirectory + '/link'); fs.writeFileSync(at.dataDirectory + '/link/new', 'x'); }`,
  },
  { title: 'fs.chmodSync of the program', code: `fs.chmodSync(at.directory + '/part.mjs', 0o777)` },
  {
    title: 'fs.fchmodSync of the program',
    code: `fs.fchmodSync(fs.openSync(at.directory + '/part.mjs'), 0o777)`,
  },
  {
    title: 'fs.fchmod of the program',
    code: `callback((done) => fs.fchmod(fs.openSync(at.directory + '/part.mjs'), 0o776, done))`,
  },
  {
    title: 'fs.fchownSync of the program',
    code: `fs.fchownSync(fs.openSync(at.directory + '/part.mjs'), 1, 1)`,
  },
  {
    title: 'fs.futimesSync of the program',
    code: `fs.futimesSync(fs.openSync(at.directory + '/part.mjs'), 1, 1)`,
  },
  {
    title: 'fs.futimes of the program',
    code: `callback((done) => fs.futimes(fs.openSync(at.directory + '/part.mjs'), 2, 2, done))`,
  },
  {
    title: 'FileHandle.chmod of the program',
    code: `{ const file = keep(await fsPromises.open(at.directory + '/part.mjs')); await file.chmod(0o775); }`,
  },
  {
    title: 'FileHandle.chown of the program',
    code: `{ const file = keep(await fsPromises.open(at.directory + '/part.mjs')); await file.chown(1, 1); }`,
  },
  {
    title: 'FileHandle.utimes of the program',
    code: `{ const file = keep(await fsPromises.open(at.directory + '/part.mjs')); await file.utimes(3, 3); }`,
  },
  {
    title: 'FileHandle.truncate of the program',
    code: `{ const file = keep(await fsPromises.open(at.directory + '/part.mjs')); await file.truncate(1); }`,
  },
  {
    title: 'fs.openSync of the program with O_TRUNC',
    code: `fs.openSync(at.directory + '/part.mjs', fs.constants.O_RDONLY | fs.constants.O_TRUNC)`,
  },
  {
    title: 'fs.openSync with O_CREAT alone',
    code: `fs.openSync(at.absent, fs.constants.O_RDONLY | fs.constants.O_CREAT)`,
  },
  {
    title: 'fs.openSync of the directory with O_TMPFILE',
    code: `fs.openSync(at.folder, 0o20200000 | fs.constants.O_RDWR) && fs.writeFileSync(at.absent, 'x')`,
  },
  { title: 'fs.writeFileSync beside the program', code: `fs.writeFileSync(at.directory + '/new.mjs', 'x')` },
  { title: 'fs.unlinkSync of the program', code: `fs.unlinkSync(at.directory + '/part.mjs')` },
  {
    title: 'fs.writeFileSync with .. from the data directory',
    code: `fs.writeFileSync(at.dataDirectory + '/../../canary/' + path.basename(at.folder) + '/new', 'x')`,
  },
  { title: 'fs.writeFileSync of a path as a Buffer', code: `fs.writeFileSync(Buffer.from(at.absent), 'x')` },
  { title: 'process.report.writeReport', code: `process.report.writeReport(at.absent)` },
  {
    title: 'process.report with directory and filename',
    code: `{ process.report.directory = at.folder; process.report.filename = 'secret'; return process.report.writeReport(); }`,
  },
  {
    title: 'process.report of the module process',
    code: `import('node:process').then(({ report }) => { report.directory = at.folder; report.filename = 'new'; return report.writeReport(); })`,
  },
  {
    title: 'process.report.getReport',
    code: `JSON.stringify(process.report.getReport().environmentVariables)`,
  },
  { title: 'v8.writeHeapSnapshot', code: `v8.writeHeapSnapshot(at.absent)` },
  {
    title: 'v8.takeCoverage into NODE_V8_COVERAGE',
    code: `{ process.env.NODE_V8_COVERAGE = at.folder; return v8.takeCoverage(); }`,
  },
  {
    title: 'trace_events into the working directory',
    code: `{ const tracing = keep(traceEvents.createTracing({ categories: ['node.perf', 'v8', 'node.async_hooks'] })); tracing.enable(); performance.mark('x'); await pause(300); tracing.disable(); return 'traced'; }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'trace_events after process.chdir',
    code: `{ process.chdir(at.folder); const tracing = keep(traceEvents.createTracing({ categories: ['node.perf', 'v8'] })); tracing.enable(); performance.mark('x'); await pause(300); tracing.disable(); return 'traced'; }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'module.enableCompileCache',
    code: `{ module.enableCompileCache(at.folder); fs.writeFileSync(at.dataDirectory + '/m.cjs', 'module.exports = 1'); require(at.dataDirectory + '/m.cjs'); module.flushCompileCache(); return module.getCompileCacheDir(); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'module.enableCompileCache by NODE_COMPILE_CACHE',
    code: `{ process.env.NODE_COMPILE_CACHE = at.folder; module.enableCompileCache(); fs.writeFileSync(at.dataDirectory + '/n.cjs', 'module.exports = 1'); require(at.dataDirectory + '/n.cjs'); module.flushCompileCache(); return module.getCompileCacheDir(); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'the history of node:repl',
    code: `{ const server = keep(repl.start({ input: new stream.PassThrough(), output: new stream.PassThrough() })); await callback((done) => server.setupHistory(at.absent, done)); }`,
  },
  {
    title: '.save of node:repl',
    code: `{ const input = new stream.PassThrough(); keep(repl.start({ input, output: new stream.PassThrough() })); input.write('1\\n.save ' + at.absent + '\\n'); await pause(200); }`,
  },
  {
    title: 'a snapshot of node:test',
    code: `{ const { test, snapshot } = await import('node:test'); snapshot.setResolveSnapshotPath(() => at.absent); await test('x', (t) => t.assert.snapshot(1)); }`,
  },
  {
    title: 'process.umask, then a file of its own',
    code: `{ const mask = process.umask(0); fs.writeFileSync(at.absent, 'x', { mode: 0o777 }); process.umask(mask); }`,
  },
  {
    title: 'fs.watch that makes something',
    code: `keep(fs.watch(at.folder)) && fs.writeFileSync(at.absent, '')`,
  },
  {
    title: 'node:sqlite creates a database',
    code: `import('node:sqlite').then(({ DatabaseSync }) => new DatabaseSync(at.absent).exec('create table t (c)'))`,
  },
  {
    title: 'node:sqlite attaches a database',
    code: `import('node:sqlite').then(({ DatabaseSync }) => new DatabaseSync(':memory:').exec("attach '" + at.absent + "' as a; create table a.t (c)"))`,
  },
  {
    title: 'node:sqlite makes a backup',
    code: `import('node:sqlite').then(({ DatabaseSync, backup }) => backup(new DatabaseSync(':memory:'), at.absent))`,
  },
];
