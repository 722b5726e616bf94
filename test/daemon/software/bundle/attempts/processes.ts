import type { Attempt } from '../../../../support/attempts/attempt.ts';

const SLEEP = `'sleep', Array.of('30')`;

/** Other programs, threads and debuggers. */
export const PROCESSES: readonly Attempt[] = [
  { title: 'childProcess.spawn', code: `keep(childProcess.spawn(${SLEEP}))` },
  {
    title: 'childProcess.spawn, detached',
    code: `keep(childProcess.spawn(${SLEEP}, { detached: true, stdio: 'ignore' })).unref()`,
  },
  { title: 'childProcess.spawn in a shell', code: `keep(childProcess.spawn('sleep 30', { shell: true }))` },
  { title: 'childProcess.spawnSync', code: `childProcess.spawnSync('/bin/cat', [at.secret]).stdout` },
  {
    title: 'childProcess.execFile',
    code: `callback((done) => childProcess.execFile('/bin/cat', [at.secret], done))`,
  },
  { title: 'childProcess.execFileSync', code: `childProcess.execFileSync('/bin/cat', [at.secret])` },
  { title: 'childProcess.exec', code: `callback((done) => childProcess.exec('cat ' + at.secret, done))` },
  { title: 'childProcess.execSync', code: `childProcess.execSync('cat ' + at.secret)` },
  {
    title: 'childProcess.fork',
    code: `keep(childProcess.fork(at.directory + '/main.mjs', { stdio: 'ignore' }))`,
  },
  {
    title: 'childProcess.ChildProcess.spawn',
    code: `keep(new childProcess.ChildProcess()).spawn({ file: '/bin/sleep', args: ['sleep', '30'], stdio: 'ignore' })`,
  },
  {
    title: 'spawn of the handle',
    code: `keep(new childProcess.ChildProcess())._handle.spawn({ file: '/bin/sleep', args: ['sleep', '30'], stdio: [] })`,
  },
  {
    title: 'spawn of a handle made by its constructor',
    code: `{ const { constructor: Process } = new childProcess.ChildProcess()._handle; return keep(new Process()).spawn({ file: '/bin/sleep', args: ['sleep', '30'], stdio: [] }); }`,
  },
  {
    title: '_forkChild',
    code: `childProcess._forkChild(3, 0) ?? keep(childProcess.spawn(${SLEEP}))`,
    isolation: 'UNFENCED',
  },
  {
    title: 'cluster.fork',
    code: `{ cluster.setupPrimary({ exec: at.directory + '/main.mjs' }); keep(cluster.fork()); await pause(50); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.execve',
    code: `process.execve('/bin/sleep', ['sleep', '30'], {})`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.execve to read',
    code: `process.execve('/bin/cat', ['cat', at.secret], {})`,
    isolation: 'UNFENCED',
  },
  {
    title: 'execve of the module process',
    code: `import('node:process').then(({ execve }) => execve('/bin/cat', ['cat', at.secret], {}))`,
    isolation: 'UNFENCED',
  },
  {
    title: 'new Worker that reads',
    code: `once(new workerThreads.Worker("require('worker_threads').parentPort.postMessage(require('fs').readFileSync(" + JSON.stringify(at.secret) + ", 'utf8'))", { eval: true }).on('message', (text) => console.log(text)), 'exit')`,
  },
  {
    title: 'new Worker that connects',
    code: `once(new workerThreads.Worker("require('net').connect(" + at.tcpPort + ", '127.0.0.1')", { eval: true }), 'exit')`,
  },
  {
    title: 'new Worker with execArgv of its own',
    code: `once(new workerThreads.Worker("console.log(require('fs').readFileSync(" + JSON.stringify(at.secret) + ", 'utf8'))", { eval: true, execArgv: ['--no-permission'] }), 'exit')`,
  },
  {
    title: 'new Worker without resource limits and with an environment shared',
    code: `once(new workerThreads.Worker("console.log(require('fs').readFileSync(" + JSON.stringify(at.secret) + ", 'utf8'))", { eval: true, env: workerThreads.SHARE_ENV }), 'exit')`,
  },
  {
    title: 'new Worker of a data: URL',
    code: `once(new workerThreads.Worker(new URL('data:text/javascript,' + encodeURIComponent("import fs from 'node:fs'; console.log(fs.readFileSync(" + JSON.stringify(at.secret) + ", 'utf8'))"))), 'exit')`,
  },
  {
    title: 'module.register of code that connects',
    code: `{ module.register('data:text/javascript,' + encodeURIComponent("import net from 'node:net'; net.connect(" + at.tcpPort + ", '127.0.0.1')")); await pause(300); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'module.register of code that spawns',
    code: `{ module.register('data:text/javascript,' + encodeURIComponent("import { spawn } from 'node:child_process'; spawn('sleep', Array.of('30'))")); await pause(300); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'a run of node:test in processes',
    code: `{ const { run } = await import('node:test'); for await (const event of run({ files: [at.module], isolation: 'process' })) console.log(event.type); }`,
    isolation: 'UNFENCED',
  },
  { title: 'inspector.open', code: `inspector.open(9229, '127.0.0.1')`, isolation: 'UNFENCED' },
  {
    title: 'inspector.Session.connect',
    code: `{ const session = keep(new inspector.Session()); session.connect(); return callback((done) => session.post('Runtime.evaluate', { expression: 'process.mainModule; process.getBuiltinModule("fs").readFileSync(' + JSON.stringify(at.secret) + ', "utf8")' }, done)); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'inspector.Session with internal bindings',
    code: `{ const session = keep(new inspector.Session()); session.connect(); return callback((done) => session.post('Runtime.evaluate', { includeCommandLineAPI: true, expression: 'require("fs").readFileSync(' + JSON.stringify(at.secret) + ', "utf8")' }, done)); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'inspector.Session.connectToMainThread',
    code: `keep(new inspector.Session()).connectToMainThread()`,
  },
  {
    title: 'node:inspector/promises',
    code: `{ const session = keep(new inspectorPromises.Session()); session.connect(); return session.post('Runtime.evaluate', { expression: 'process.getBuiltinModule("fs").readFileSync(' + JSON.stringify(at.secret) + ', "utf8")' }); }`,
    isolation: 'UNFENCED',
  },
  { title: 'inspector.waitForDebugger', code: `inspector.url() ?? inspector.open(0)`, isolation: 'UNFENCED' },
  {
    title: 'SIGUSR1 emitted in itself',
    code: `{ process.emit('SIGUSR1'); await pause(100); return inspector.open(0); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'SIGUSR1 sent to itself',
    code: `{ process.kill(process.pid, 'SIGUSR1'); await pause(300); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.debugPort, then SIGUSR1',
    code: `{ process.debugPort = 9333; process._kill(process.pid, 10); await pause(300); }`,
    isolation: 'UNFENCED',
  },
];
