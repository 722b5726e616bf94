import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Expressions that may answer differently for a `file` that is there and one that is not. */
const PROBES: readonly (readonly [title: string, probe: string])[] = [
  ['fs.existsSync', `(file) => fs.existsSync(file)`],
  ['fs.exists', `(file) => new Promise((resolve) => fs.exists(file, resolve))`],
  ['fs.accessSync', `(file) => fs.accessSync(file)`],
  ['fs.access', `(file) => callback((done) => fs.access(file, done))`],
  ['fs.promises.access', `(file) => fsPromises.access(file)`],
  ['fs.statSync', `(file) => fs.statSync(file).isFile()`],
  ['fs.statSync without an error', `(file) => fs.statSync(file, { throwIfNoEntry: false }) === undefined`],
  ['fs.lstatSync without an error', `(file) => fs.lstatSync(file, { throwIfNoEntry: false }) === undefined`],
  ['fs.stat', `(file) => callback((done) => fs.stat(file, done)).then(() => 1)`],
  ['fs.promises.lstat', `(file) => fsPromises.lstat(file).then(() => 1)`],
  ['fs.statfs', `(file) => callback((done) => fs.statfs(file, done)).then(() => 1)`],
  ['fs.promises.statfs', `(file) => fsPromises.statfs(file).then(() => 1)`],
  ['fs.realpathSync', `(file) => fs.realpathSync(file)`],
  ['fs.realpathSync of a Buffer', `(file) => fs.realpathSync(Buffer.from(file))`],
  [
    'fs.realpathSync of an object that changes',
    `(file) => { let reads = 0; return fs.realpathSync({ toString: () => ((reads += 1) > 1 ? file : at.dataDirectory) }); }`,
  ],
  ['fs.realpathSync.native', `(file) => fs.realpathSync.native(file)`],
  ['fs.realpath', `(file) => callback((done) => fs.realpath(file, done))`],
  ['fs.realpath.native', `(file) => callback((done) => fs.realpath.native(file, done))`],
  ['fs.promises.realpath', `(file) => fsPromises.realpath(file)`],
  ['fs.readlinkSync', `(file) => fs.readlinkSync(file)`],
  ['fs.promises.readlink', `(file) => fsPromises.readlink(file)`],
  ['fs.openSync', `(file) => fs.openSync(file) > 0`],
  ['fs.readdirSync', `(file) => fs.readdirSync(file)`],
  ['fs.opendirSync', `(file) => fs.opendirSync(file).path`],
  ['fs.rmdirSync', `(file) => fs.rmdirSync(file)`],
  ['fs.rmSync with force', `(file) => fs.rmSync(file + '/x', { force: true })`],
  ['fs.mkdirSync below it', `(file) => fs.mkdirSync(file + '/x')`],
  ['fs.watch', `(file) => keep(fs.watch(file)) && 1`],
  [
    'fs.promises.watch',
    `async (file) => { const watcher = fsPromises.watch(file)[Symbol.asyncIterator](); return Promise.race([watcher.next(), pause(20)]); }`,
  ],
  [
    'fs.watchFile',
    `(file) => new Promise((resolve) => { fs.watchFile(file, { interval: 10 }, (now) => resolve(now.size > 0)); later(() => resolve('nothing'), 100); })`,
  ],
  ['fs.globSync', `(file) => fs.globSync(file).length`],
  ['fs.globSync with braces', `(file) => fs.globSync('{' + file + ',/x}').length`],
  ['fs.openAsBlob', `(file) => fs.openAsBlob(file).then(({ size }) => size)`],
  ['fs.cpSync from it', `(file) => fs.cpSync(file, at.dataDirectory + '/copy')`],
  [
    'fs.cpSync to it without force',
    `(file) => { fs.writeFileSync(at.dataDirectory + '/own', ''); fs.cpSync(at.dataDirectory + '/own', file, { force: false, errorOnExist: true }); }`,
  ],
  [
    'fs.copyFileSync to it with COPYFILE_EXCL',
    `(file) => { fs.writeFileSync(at.dataDirectory + '/own', ''); fs.copyFileSync(at.dataDirectory + '/own', file, fs.constants.COPYFILE_EXCL); }`,
  ],
  ['fs.symlinkSync over it', `(file) => fs.symlinkSync('x', file)`],
  ['fs.linkSync from it', `(file) => fs.linkSync(file, at.dataDirectory + '/hard')`],
  ['fs.renameSync of it', `(file) => fs.renameSync(file, file + '-new')`],
  ['require', `(file) => require(file)`],
  ['require.resolve', `(file) => require.resolve(file)`],
  [
    'require.resolve of a relative path',
    `(file) => require.resolve(path.relative(at.directory, file).replace(/^(?!\\.)/, './'))`,
  ],
  [
    'require.resolve with paths',
    `(file) => require.resolve('./' + path.basename(file), { paths: [path.dirname(file)] })`,
  ],
  ['require.resolve.paths', `(file) => require.resolve.paths(file)`],
  [
    'createRequire at another place',
    `(file) => module.createRequire(path.dirname(file) + '/x.js').resolve('./' + path.basename(file))`,
  ],
  ['import', `(file) => import(file)`],
  ['import of a URL with a query', `(file) => import(url.pathToFileURL(file) + '?x')`],
  ['import.meta.resolve', `(file) => import.meta.resolve(file)`],
  [
    'import.meta.resolve with a parent',
    `(file) => import.meta.resolve('./' + path.basename(file), url.pathToFileURL(path.dirname(file)) + '/x.js')`,
  ],
  ['Module._resolveFilename', `(file) => module._resolveFilename(file)`],
  ['Module._findPath', `(file) => module._findPath(file, [''])`],
  [
    'Module._findPath in a directory',
    `(file) => module._findPath(path.basename(file), [path.dirname(file)])`,
  ],
  ['Module._stat', `(file) => module._stat(file)`],
  ['Module._readPackage', `(file) => module._readPackage(file)`],
  ['Module._load', `(file) => module._load(file)`],
  ['Module._extensions', `(file) => module._extensions['.js'](new module.Module(file), file)`],
  ['Module.prototype.load', `(file) => new module.Module(file).load(file)`],
  [
    'Module._resolveLookupPaths and Module.globalPaths',
    `(file) => { module.globalPaths.push(path.dirname(file)); try { return require.resolve(path.basename(file)); } finally { module.globalPaths.pop(); } }`,
  ],
  [
    'NODE_PATH and Module._initPaths',
    `(file) => { process.env.NODE_PATH = path.dirname(file); module._initPaths(); try { return require.resolve(path.basename(file)); } finally { delete process.env.NODE_PATH; module._initPaths(); } }`,
  ],
  [
    'Module.runMain',
    `(file) => { const [, main] = process.argv; process.argv[1] = file; try { return module.runMain(file); } finally { process.argv[1] = main; } }`,
  ],
  ['module.findPackageJSON', `(file) => module.findPackageJSON(file)`],
  ['module.findSourceMap', `(file) => module.findSourceMap(file)`],
  ['process.chdir', `(file) => process.chdir(file)`],
  ['process.loadEnvFile', `(file) => process.loadEnvFile(file)`],
  ['process.dlopen', `(file) => process.dlopen({ exports: {} }, file)`],
  ['process.execve', `(file) => process.execve(file + '/x', [], {})`],
  ['childProcess.spawnSync', `(file) => childProcess.spawnSync(file).error?.code`],
  ['childProcess.spawnSync with cwd', `(file) => childProcess.spawnSync('true', { cwd: file }).error?.code`],
  ['net.connect to a path', `(file) => once(net.connect(file), 'connect')`],
  ['net.Server.listen at a path', `(file) => once(keep(net.createServer()).listen(file), 'listening')`],
  [
    'new WASI with preopens',
    `(file) => new wasi.WASI({ version: 'preview1', preopens: { '/x': file } }) && 1`,
  ],
  [
    'tls with SSL_CERT_FILE',
    `(file) => { process.env.SSL_CERT_FILE = file; return tls.getCACertificates('system').length; }`,
  ],
  [
    'node:sqlite',
    `(file) => import('node:sqlite').then(({ DatabaseSync }) => new DatabaseSync(file, { readOnly: true }).location())`,
  ],
  ['new Worker', `(file) => once(new workerThreads.Worker(file), 'exit')`],
  ['process.report.writeReport below it', `(file) => process.report.writeReport(file + '/x')`],
  ['v8.writeHeapSnapshot below it', `(file) => v8.writeHeapSnapshot(file + '/x')`],
  ['module.enableCompileCache below it', `(file) => module.enableCompileCache(file).message`],
  ['new fs.Utf8Stream', `(file) => keep(new fs.Utf8Stream({ dest: file + '/x', sync: true })) && 1`],
];

/** Finding out which files, processes and users there are. */
export const EXISTENCE: readonly Attempt[] = [
  ...PROBES.map(([title, probe]) => ({
    title: `${title} tells whether a file is there`,
    code: `tell(at, ${probe})`,
  })),
  ...[
    'fs.existsSync',
    'require.resolve',
    'module.findPackageJSON',
    'import.meta.resolve',
    'process.chdir',
  ].map((name) => ({
    title: `${name} tells whether a directory is there`,
    code: `tell(at, (file) => ${name}(file), at.project)`,
  })),
  {
    title: 'import tells whether a directory is there',
    code: `tell(at, (file) => import(file), at.project)`,
  },
  {
    title: 'require tells whether a package is there',
    code: `tell(at, (file) => require(file), at.project)`,
  },
  {
    title: 'os.getPriority tells whether a process is there',
    code: `tell(at, (pid) => os.getPriority(pid === String(at.pid) ? at.pid : 4194000), String(at.pid))`,
  },
  {
    title: 'process.kill with 0 tells whether a process is there',
    code: `tell(at, (pid) => process.kill(pid === String(at.pid) ? at.pid : 4194000, 0), String(at.pid))`,
  },
  {
    title: 'process.setuid tells whether a user is there',
    code: `tell(at, (user) => process.setuid(user), 'root')`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.initgroups tells whether a user is there',
    code: `tell(at, (user) => process.initgroups(user, 0), 'root')`,
  },
  {
    title: 'process.setgroups tells whether a group is there',
    code: `tell(at, (group) => process.setgroups([group]), 'root')`,
  },
];
