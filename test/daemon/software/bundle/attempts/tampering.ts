import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Replacing what Node.js itself calls, in the hope that a check is misled. */
export const TAMPERING: readonly Attempt[] = [
  {
    title: 'path.resolve',
    code: `{ path.resolve = () => at.dataDirectory; return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'path.toNamespacedPath',
    code: `{ path.toNamespacedPath = () => at.dataDirectory; return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'Buffer.prototype.utf8Write',
    code: `{ Buffer.prototype.utf8Write = function (text, ...more) { return this.write(at.secret, ...more); }; return fs.readFileSync(new TextEncoder().encode(at.secret), 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'Buffer.prototype.toString',
    code: `{ Buffer.prototype.toString = () => at.dataDirectory; return fs.readFileSync(Buffer.from(at.secret), 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'Buffer.from',
    code: `{ Buffer.from = () => at.secret; return fs.readFileSync(new TextEncoder().encode(at.secret), 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'Buffer.isBuffer and Uint8Array',
    code: `{ Buffer.isBuffer = () => true; return fs.readFileSync(Object.assign(Buffer.from(at.secret), { length: 1 }), 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'String.prototype.startsWith',
    code: `{ String.prototype.startsWith = () => true; return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'Array.prototype.some',
    code: `{ Array.prototype.some = () => true; return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'RegExp.prototype.test',
    code: `{ RegExp.prototype.test = () => true; RegExp.prototype.exec = () => null; return require.resolve(at.script) + require(at.script); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'Object.prototype.isAbsolute',
    code: `{ Object.prototype.flag = 'w'; Object.prototype.mode = 0o777; Object.prototype.flags = 'w'; try { return fs.writeFileSync(at.absent, 'x'); } finally { for (const key of ['flag', 'mode', 'flags']) delete Object.prototype[key]; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Object.prototype.fd',
    code: `{ Object.prototype.fd = 4; try { return await new Promise((resolve, reject) => { const file = fs.createReadStream(at.secret); file.on('error', reject).on('data', (text) => resolve(String(text))); }); } finally { delete Object.prototype.fd; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Object.prototype.handle',
    code: `{ let seen; Object.defineProperty(Object.prototype, 'handle', { configurable: true, set(value) { seen = value; }, get() { return undefined; } }); try { keep(childProcess.spawn('sleep', Array.of('30'))); } finally { delete Object.prototype.handle; } return seen?.connect?.({ oncomplete() {} }, at.socket); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Object.prototype.shell',
    code: `{ Object.prototype.shell = '/bin/sh'; try { return childProcess.execFileSync('cat ' + at.secret); } finally { delete Object.prototype.shell; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Object.prototype.lookup',
    code: `{ Object.prototype.lookup = (name, options, done) => done(null, '127.0.0.1', 4); try { return await once(net.connect(at.tcpPort, 'x.invalid'), 'connect'); } finally { delete Object.prototype.lookup; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'a setter of Object.prototype that catches bindings',
    code: `{ const seen = []; for (const key of ['internalBinding', 'binding', 'exports', 'Process', 'TCP']) Object.defineProperty(Object.prototype, key, { configurable: true, set(value) { seen.push([key, value]); Object.defineProperty(this, key, { value, writable: true, configurable: true, enumerable: true }); } }); try { for (const name of ['node:repl', 'node:wasi', 'node:test', 'node:trace_events', 'node:sea']) await import(name).catch(() => {}); } finally { for (const key of ['internalBinding', 'binding', 'exports', 'Process', 'TCP']) delete Object.prototype[key]; } const found = seen.find(([, value]) => typeof value === 'function' && value.name === 'internalBinding'); return found ? found[1]('fs').readFileUtf8(at.secret, 0) : require('fs').readFileSync(at.secret, 'utf8'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Array.prototype[Symbol.iterator]',
    code: `{ const original = Array.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = function* () { yield* []; }; try { return fs.readFileSync(at.secret, 'utf8'); } finally { Array.prototype[Symbol.iterator] = original; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Function.prototype.call',
    code: `{ const { call } = Function.prototype; const seen = []; Function.prototype.call = function (...given) { seen.push(...given); return Reflect.apply(this, given[0], given.slice(1)); }; try { require('node:punycode'); } catch {} finally { Function.prototype.call = call; } const found = seen.find((value) => typeof value === 'function' && value.name === 'internalBinding'); return found ? found('fs') : fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Reflect.apply',
    code: `{ const { apply } = Reflect; Reflect.apply = () => undefined; try { return fs.readFileSync(at.secret, 'utf8'); } finally { Reflect.apply = apply; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Promise.prototype.then',
    code: `{ const { then } = Promise.prototype; const seen = []; Promise.prototype.then = function (...given) { seen.push(this); return Reflect.apply(then, this, given); }; try { return await fsPromises.readFile(at.secret, 'utf8'); } finally { Promise.prototype.then = then; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'process.nextTick',
    code: `{ const { nextTick } = process; process.nextTick = (...given) => { try { given[0]?.(null, '127.0.0.1', 4); } catch {} }; try { return await once(net.connect(at.tcpPort, 'localhost'), 'connect'); } finally { process.nextTick = nextTick; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'EventEmitter.prototype.emit',
    code: `{ const { emit } = events.EventEmitter.prototype; events.EventEmitter.prototype.emit = function (name, ...given) { return name === 'error' ? true : Reflect.apply(emit, this, [name, ...given]); }; try { const socket = keep(net.connect(at.tcpPort, '127.0.0.1')); await pause(50); return socket.readyState; } finally { events.EventEmitter.prototype.emit = emit; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Object.defineProperty, to take back what was replaced',
    code: `{ for (const name of ['kill', '_kill', '_debugProcess']) { try { Object.defineProperty(process, name, { get: () => () => 1 }); } catch {} try { delete process[name]; } catch {} } return process.kill(at.pid, 'SIGTERM'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'Error.captureStackTrace',
    code: `{ const { captureStackTrace } = Error; Error.captureStackTrace = (error) => { error.code = undefined; }; try { return fs.readFileSync(at.secret, 'utf8'); } finally { Error.captureStackTrace = captureStackTrace; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Error.stackTraceLimit of 0',
    code: `{ Error.stackTraceLimit = 0; return fs.readFileSync(at.secret, 'utf8'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'a proxy as the options',
    code: `{ let reads = 0; const options = new Proxy({}, { get: (target, key) => (key === 'encoding' ? 'utf8' : (reads += 1) && undefined) }); return fs.readFileSync(at.secret, options); }`,
  },
  {
    title: 'a path that changes while it is read',
    code: `{ let reads = 0; const file = { get href() { return 'file://'; }, protocol: 'file:', hostname: '', get pathname() { reads += 1; return reads > 1 ? at.secret : at.dataDirectory + '/x'; } }; return fs.readFileSync(file, 'utf8'); }`,
  },
  {
    title: 'a buffer that changes while the path is checked',
    code: `{ fs.writeFileSync(at.dataDirectory + '/own-file', 'own'); const allowed = at.dataDirectory + '/own-file'; const size = Math.max(allowed.length, at.secret.length); const shared = Buffer.alloc(size, '/'); let found = ''; for (let round = 0; round < 200 && !/SECRET/.test(found); round += 1) { shared.fill('/').write(allowed.padStart(size, '/')); const reading = fsPromises.readFile(shared, 'utf8').catch(() => ''); shared.fill('/').write(at.secret.padStart(size, '/')); found += await reading; } return found; }`,
  },
  {
    title: 'a shared buffer as the path',
    code: `{ const shared = Buffer.from(new SharedArrayBuffer(at.secret.length)); shared.write(at.secret); return fs.readFileSync(shared, 'utf8'); }`,
  },
  {
    title: 'String.prototype.startsWith, to resolve elsewhere',
    code: `{ const { startsWith } = String.prototype; String.prototype.startsWith = () => true; try { return await tell(at, (file) => require.resolve(file)); } finally { String.prototype.startsWith = startsWith; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'module.isBuiltin, to resolve elsewhere',
    code: `{ const { isBuiltin } = module; module.isBuiltin = () => true; module.syncBuiltinESMExports(); try { return await tell(at, (file) => require.resolve(file)); } finally { module.isBuiltin = isBuiltin; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'url.fileURLToPath, to import elsewhere',
    code: `{ const { fileURLToPath } = url; url.fileURLToPath = () => at.dataDirectory; module.syncBuiltinESMExports(); try { return await tell(at, (file) => import('file://' + file)); } finally { url.fileURLToPath = fileURLToPath; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'the global URL, to import elsewhere',
    code: `{ const { URL: Original } = globalThis; globalThis.URL = class { constructor() { return new Original('file://' + at.dataDirectory); } }; try { return await tell(at, (file) => import('./../../canary/' + path.basename(at.folder) + '/' + path.basename(file))); } finally { globalThis.URL = Original; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Set.prototype.has, to tell errors of the loader',
    code: `{ const { has } = Set.prototype; Set.prototype.has = () => true; try { return await tell(at, (file) => require.resolve('./' + path.basename(file), { paths: [path.dirname(file)] })); } finally { Set.prototype.has = has; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'a setter of the code of errors, to tell errors of the loader',
    code: `{ Object.defineProperty(Error.prototype, 'code', { configurable: true, set() {}, get: () => 'ERR_INVALID_PACKAGE_CONFIG' }); try { return await tell(at, (file) => require.resolve('./' + path.basename(file), { paths: [path.dirname(file)] })); } finally { delete Error.prototype.code; } }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'Function.prototype.call, to catch what the sandbox has replaced',
    code: `{ const { call } = Function.prototype; const seen = []; Function.prototype.call = function (...given) { seen.push(this); return Reflect.apply(this, given[0], given.slice(1)); }; const made = new module.Module('x'); try { made.load(at.dataDirectory + '/x'); } catch {} finally { Function.prototype.call = call; } for (const load of seen) { try { Reflect.apply(load, made, [at.project + '/index.js']); } catch {} } return seen.length + (() => { try { return made.load(at.project + '/index.js'); } catch { return 'refused'; } })(); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'an object like a URL that fs.realpathSync reads twice',
    code: `tell(at, (file) => { let reads = 0; const target = { href: 'file://x', protocol: 'file:', hostname: '', get pathname() { reads += 1; return reads > 1 ? file : at.dataDirectory; } }; Object.defineProperty(URL, Symbol.hasInstance, { configurable: true, value: () => true }); try { return fs.realpathSync(target); } finally { delete URL[Symbol.hasInstance]; } })`,
    isolation: 'UNFENCED',
  },
];
