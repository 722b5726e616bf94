import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Flags of the engine, other realms, rights of the process, and what describes the process from inside. */
export const ENGINE: readonly Attempt[] = [
  {
    title: 'v8.setFlagsFromString',
    code: `{ v8.setFlagsFromString('--logfile=' + at.absent); v8.setFlagsFromString('--log-all'); v8.setFlagsFromString('--prof'); return fs.writeFileSync(at.absent, 'x'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'v8.setFlagsFromString that writes a file',
    code: `{ v8.setFlagsFromString('--redirect-code-traces'); v8.setFlagsFromString('--redirect-code-traces-to=' + at.absent); v8.setFlagsFromString('--trace-opt'); v8.setFlagsFromString('--trace-deopt'); const work = (x) => x * 2 + 1; for (let round = 0; round < 3e6; round += 1) work(round); return 'written'; }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'setFlagsFromString of the module v8',
    code: `import('node:v8').then(({ setFlagsFromString }) => { setFlagsFromString('--max-old-space-size=4000'); return fs.readFileSync(at.secret, 'utf8'); })`,
  },
  {
    title: 'v8.setHeapSnapshotNearHeapLimit',
    code: `{ v8.setHeapSnapshotNearHeapLimit(1); return v8.writeHeapSnapshot(at.absent); }`,
  },
  {
    title: 'v8.getHeapSnapshot',
    code: `{ let text = ''; for await (const part of v8.getHeapSnapshot()) text += /canary-[0-9a-f]{24}|inherited/.exec(String(part)) ?? ''; return text + fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'v8.startCpuProfile',
    code: `{ const profile = v8.startCpuProfile(); profile.stop?.(); return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'new ShadowRealm',
    code: `new ShadowRealm().evaluate('globalThis.process') ?? fs.readFileSync(at.secret, 'utf8')`,
  },
  {
    title: 'process.setuid to another user',
    code: `{ process.setuid(65534); return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.setgid to another group',
    code: `{ process.setgid(65534); return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.seteuid to root',
    code: `{ process.seteuid(0); return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'process.setegid to root',
    code: `{ process.setegid(0); return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'process.setgroups',
    code: `{ process.setgroups([0]); return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'process.initgroups',
    code: `{ process.initgroups('root', 0); return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'process.chdir, then a relative path',
    code: `{ process.chdir(at.folder); return fs.readFileSync('secret', 'utf8'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.chdir, then a relative import',
    code: `{ process.chdir(at.folder); return import('./secret.mjs'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.permission.has taken over',
    code: `{ process.permission = { has: () => true }; return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'process.permission.has replaced',
    code: `{ process.permission.has = () => true; return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'process.permission.drop',
    code: `{ process.permission.drop?.('fs.read'); return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'process.execArgv changed',
    code: `{ process.execArgv.push('--allow-fs-read=*'); return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'NODE_OPTIONS changed',
    code: `{ process.env.NODE_OPTIONS = '--allow-fs-read=* --no-permission'; return fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'the global of another context',
    code: `vm.runInNewContext('this.constructor.constructor("return process")().getBuiltinModule("fs")').readFileSync(at.secret, 'utf8')`,
  },
  {
    title: 'process.getBuiltinModule of fs',
    code: `process.getBuiltinModule('fs').readFileSync(at.secret, 'utf8')`,
  },
  {
    title: 'process.mainModule',
    code: `(process.mainModule?.require ?? require)('fs').readFileSync(at.secret, 'utf8')`,
  },
  {
    title: 'the caller of a function of Node.js',
    code: `{ let found; const previous = Error.prepareStackTrace; Error.prepareStackTrace = (error, sites) => { found = sites.map((site) => [site.getFunction(), site.getThis()]); return ''; }; fs.existsSync({ get href() { void new Error().stack; return 'x'; }, protocol: 'file:', toString() { void new Error().stack; return 'x'; } }); void new Error().stack; Error.prepareStackTrace = previous; const leaked = found?.flat().find((value) => typeof value === 'function' && /internalBinding/.test(String(value))); return leaked ? leaked('fs') : fs.readFileSync(at.secret, 'utf8'); }`,
  },
  {
    title: 'v8.queryObjects',
    code: `{ const text = v8.queryObjects(Object, { format: 'summary' }).join(); return fs.readFileSync(at.secret, 'utf8') + text.length; }`,
  },
  {
    title: 'process.report of another realm',
    code: `vm.runInNewContext('p.report', { p: process }).writeReport(at.absent)`,
  },
  {
    title: 'process.reportOnFatalError',
    code: `{ Object.assign(process.report, { directory: at.folder, filename: 'fatal', reportOnFatalError: true, reportOnUncaughtException: true }); process.abort(); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.report on an uncaught error',
    code: `{ Object.assign(process.report, { directory: at.folder, filename: 'uncaught', reportOnUncaughtException: true }); process.removeAllListeners('uncaughtException'); later(() => { throw new Error('x'); }); await pause(300); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.report on a signal',
    code: `{ Object.assign(process.report, { directory: at.folder, filename: 'signal', signal: 'SIGUSR2', reportOnSignal: true }); process.emit('SIGUSR2', 'SIGUSR2'); await pause(100); process.kill(process.pid, 'SIGUSR2'); await pause(300); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.report when the heap is full',
    code: `{ Object.assign(process.report, { directory: at.folder, filename: 'heap', reportOnFatalError: true }); const grown = []; for (;;) grown.push(new Array(1e5).fill(grown.length)); }`,
    isolation: 'UNFENCED',
  },
];
