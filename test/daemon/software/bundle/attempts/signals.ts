import type { Attempt } from '../../../../support/attempts/attempt.ts';

// An unspawned handle takes its process id from memory that was used before: these fill such memory with the id first.
const FILL = `for (let round = 0; round < 64; round += 1) { const block = Buffer.alloc(4096); for (let word = 0; word < 1024; word += 1) block.writeInt32LE(at.pid, word * 4); kept.push(new Int32Array(34).fill(at.pid)); }`;

/** Signals to other processes, and their priorities. */
export const SIGNALS: readonly Attempt[] = [
  ...['SIGTERM', 'SIGUSR1', 'SIGKILL', 'SIGSTOP', 'SIGHUP', 'SIGWINCH'].map((name) => ({
    title: `process.kill with ${name}`,
    code: `process.kill(at.pid, '${name}')`,
  })),
  { title: 'process.kill of the parent', code: `process.kill(process.ppid, 'SIGHUP')` },
  { title: 'process.kill of every process', code: `process.kill(-1, 'SIGHUP')` },
  {
    title: 'process.kill of the process group of another',
    code: `process.kill(-at.pid, 'SIGHUP') || process.kill(at.pid, 'SIGHUP')`,
  },
  {
    title: 'process.kill of the process group of the parent',
    code: `process.kill(-process.ppid, 'SIGHUP') || process.kill(process.ppid, 'SIGHUP')`,
  },
  {
    title: 'kill of the module process',
    code: `import('node:process').then(({ kill }) => kill(at.pid, 'SIGTERM'))`,
  },
  { title: 'process.kill of require', code: `require('process').kill(at.pid, 'SIGTERM')` },
  {
    title: 'process.kill of the default of the module process',
    code: `import('node:process').then(({ default: other }) => other.kill(at.pid, 'SIGTERM'))`,
  },
  {
    title: 'process.kill by process.getBuiltinModule',
    code: `process.getBuiltinModule('process').kill(at.pid, 'SIGTERM')`,
  },
  {
    title: 'process.kill of the prototype',
    code: `Object.getPrototypeOf(process).kill.call(process, at.pid, 'SIGTERM')`,
  },
  {
    title: 'process.kill after deletion',
    code: `{ delete process.kill; return process.kill(at.pid, 'SIGTERM'); }`,
  },
  {
    title: 'process.kill in another context',
    code: `vm.runInNewContext('p.kill(pid, "SIGTERM")', { p: process, pid: at.pid })`,
  },
  { title: 'process._kill', code: `process._kill(at.pid, 15)` },
  {
    title: 'process._kill of the module process',
    code: `import('node:process').then(({ _kill }) => _kill(at.pid, 15))`,
  },
  { title: 'process._debugProcess', code: `process._debugProcess(at.pid)` },
  { title: 'process._debugProcess of the parent', code: `process._debugProcess(process.ppid)` },
  {
    title: '_debugProcess of the module process',
    code: `import('node:process').then(({ _debugProcess }) => _debugProcess(at.pid))`,
  },
  { title: 'process._debugEnd', code: `process._debugEnd() ?? process._debugProcess(at.pid)` },
  {
    title: 'process.kill with an object as the process id',
    code: `process.kill({ valueOf: () => at.pid, [Symbol.toPrimitive]: () => at.pid }, 'SIGTERM')`,
  },
  {
    title: 'kill of an unspawned handle, SIGUSR1',
    code: `{ ${FILL} for (let round = 0; round < 500; round += 1) keep(new childProcess.ChildProcess())._handle.kill(10); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'kill of an unspawned handle, SIGTERM',
    code: `{ ${FILL} const results = []; for (let round = 0; round < 500; round += 1) results.push(keep(new childProcess.ChildProcess())._handle.kill(15)); return results.filter((result) => result === 0).length; }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'kill of the prototype of the handle',
    code: `{ ${FILL} const { kill } = Object.getPrototypeOf(new childProcess.ChildProcess()._handle); for (let round = 0; round < 500; round += 1) kill.call(keep(new childProcess.ChildProcess())._handle, 15); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'kill of a handle made by its constructor',
    code: `{ ${FILL} const { constructor: Process } = new childProcess.ChildProcess()._handle; for (let round = 0; round < 500; round += 1) keep(new Process()).kill(15); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'kill of a handle that async_hooks shows',
    code: `{ ${FILL} const found = []; const hook = asyncHooks.createHook({ init: (id, type, trigger, resource) => type === 'PROCESSWRAP' && found.push(resource) }).enable(); for (let round = 0; round < 200; round += 1) keep(new childProcess.ChildProcess()); hook.disable(); for (const handle of found) handle.kill(15); return found.length; }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'ChildProcess.kill with a made-up pid',
    code: `{ const child = new childProcess.ChildProcess(); child.pid = at.pid; child._handle.pid = at.pid; ${FILL} for (let round = 0; round < 300; round += 1) { const other = keep(new childProcess.ChildProcess()); other.pid = at.pid; other.kill('SIGTERM'); } return child.kill('SIGTERM'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'kill after a spawn that failed',
    code: `{ ${FILL} for (let round = 0; round < 300; round += 1) { const child = keep(new childProcess.ChildProcess()); try { child._handle.spawn({ file: '/nothing' }); } catch {} child._handle?.kill(15); } }`,
    isolation: 'UNFENCED',
  },
  { title: 'os.setPriority', code: `os.setPriority(at.pid, 5)` },
  {
    title: 'os.setPriority of the parent',
    code: `os.setPriority(process.ppid, 5) ?? os.setPriority(at.pid, 5)`,
  },
  {
    title: 'setPriority of the module os',
    code: `import('node:os').then(({ setPriority }) => setPriority(at.pid, 5))`,
  },
  {
    title: 'setPriority by process.getBuiltinModule',
    code: `process.getBuiltinModule('os').setPriority(at.pid, 5)`,
  },
  {
    title: 'a worker that sends a signal',
    code: `{ keep(new workerThreads.Worker('process.kill(' + at.pid + ')', { eval: true })); await pause(300); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'module.register of code that sends a signal',
    code: `{ module.register('data:text/javascript,' + encodeURIComponent('process.kill(' + at.pid + ", 'SIGTERM')")); await pause(300); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.binding of process_methods',
    code: `process.binding('process_methods')._kill(at.pid, 15)`,
  },
  {
    title: 'process.binding of process_wrap',
    code: `new (process.binding('process_wrap').Process)().kill(15)`,
  },
  {
    title: 'node:cluster disconnects and kills a worker',
    code: `{ const worker = new cluster.Worker({ process: Object.assign(new childProcess.ChildProcess(), { pid: at.pid }) }); worker.kill('SIGTERM'); return process.kill(at.pid); }`,
  },
];
