import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Reading files through what loads modules, certificates, libraries and settings. */
export const LOADING: readonly Attempt[] = [
  { title: 'import of a module', code: `import(at.module)` },
  { title: 'import of a URL', code: `import(url.pathToFileURL(at.module).href)` },
  { title: 'import of text as a module, for its error', code: `import(at.secret)` },
  { title: 'import of JSON', code: `import(at.json, { with: { type: 'json' } })` },
  {
    title: 'import from a module with a data: URL',
    code: `import('data:text/javascript,export * from ' + encodeURIComponent(JSON.stringify('file://' + at.module)))`,
  },
  {
    title: 'import from a module that the bundle wrote',
    code: `{ fs.writeFileSync(at.dataDirectory + '/i.mjs', 'export { default } from ' + JSON.stringify(at.module)); return import(at.dataDirectory + '/i.mjs'); }`,
  },
  {
    title: 'import through an imports map of its own',
    code: `{ fs.writeFileSync(at.dataDirectory + '/package.json', JSON.stringify({ imports: { '#x': './../../canary/' + path.basename(at.folder) + '/secret.mjs' } })); fs.writeFileSync(at.dataDirectory + '/j.mjs', "export * from '#x'"); return import(at.dataDirectory + '/j.mjs'); }`,
  },
  { title: 'import of a package', code: `import(at.project + '/index.js')` },
  { title: 'require of a module', code: `require(at.script)` },
  { title: 'require of an ES module', code: `require(at.module)` },
  { title: 'require of JSON', code: `require(at.json)` },
  {
    title: 'require of text, for its error',
    code: `{ try { require(at.secret); } catch (error) { return error.stack; } }`,
  },
  { title: 'require of a package', code: `require(at.project)` },
  { title: 'Module._load', code: `module._load(at.script)` },
  {
    title: 'Module._extensions of JSON',
    code: `{ const made = new module.Module(at.json); module._extensions['.json'](made, at.json); return made.exports; }`,
  },
  {
    title: 'Module._extensions of scripts',
    code: `{ const made = new module.Module(at.script); made.filename = at.script; module._extensions['.js'](made, at.script); return made.exports; }`,
  },
  {
    title: 'Module._extensions in a package',
    code: `module._extensions['.js'](new module.Module('x'), at.project + '/index.js')`,
  },
  {
    title: 'Module.prototype.load in a package',
    code: `new module.Module('x').load(at.project + '/index.js')`,
  },
  {
    title: 'Module.prototype._compile in a package',
    code: `new module.Module('x')._compile('export default 1', at.project + '/x.js')`,
  },
  {
    title: 'createRequire in a package, of its imports',
    code: `tell(at, (file) => module.createRequire(file + '/x.js').resolve('#x'), at.project)`,
  },
  {
    title: 'createRequire in a package, of itself',
    code: `tell(at, (file) => module.createRequire(file + '/x.js').resolve('secret/x'), at.project)`,
  },
  {
    title: 'vm.Script in a package that imports',
    code: `tell(at, (file) => new vm.Script('import("#x")', { filename: file + '/x.js', importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }).runInThisContext(), at.project)`,
  },
  {
    title: 'module.registerHooks that loads a package',
    code: `{ const hooks = module.registerHooks({ resolve: (name, context, next) => name === 'penstock:z' ? { url: 'file://' + at.project + '/index.js', shortCircuit: true } : next(name, context) }); try { return await import('penstock:z'); } finally { hooks.deregister(); } }`,
  },
  { title: 'Module._readPackage', code: `module._readPackage(at.project)` },
  {
    title: 'Module.runMain',
    code: `{ const [, main] = process.argv; process.argv[1] = at.module; try { await module.runMain(at.module); } finally { process.argv[1] = main; } }`,
  },
  {
    title: 'module.findPackageJSON',
    code: `fs.readFileSync(module.findPackageJSON(at.project + '/index.js'), 'utf8')`,
  },
  {
    title: 'module.registerHooks that resolves to another file',
    code: `{ const hooks = module.registerHooks({ resolve: (name, context, next) => name === 'penstock:x' ? { url: 'file://' + at.module, shortCircuit: true, format: 'module' } : next(name, context) }); try { return await import('penstock:x'); } finally { hooks.deregister(); } }`,
  },
  {
    title: 'module.registerHooks that loads another file',
    code: `{ const hooks = module.registerHooks({ resolve: (name, context, next) => name === 'penstock:y' ? { url: name, shortCircuit: true } : next(name, context), load: (name, context, next) => name === 'penstock:y' ? next('file://' + at.module, { ...context, format: 'module' }) : next(name, context) }); try { return await import('penstock:y'); } finally { hooks.deregister(); } }`,
  },
  {
    title: 'module.register of a module',
    code: `module.register(url.pathToFileURL(at.module).href)`,
    isolation: 'UNFENCED',
  },
  {
    title: 'module.register of code that reads',
    code: `{ module.register('data:text/javascript,' + encodeURIComponent("import fs from 'node:fs'; console.log(fs.readFileSync(" + JSON.stringify(at.secret) + ", 'utf8'))")); await pause(200); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'module.setSourceMapsSupport with a map elsewhere',
    code: `{ module.setSourceMapsSupport({ enabled: true, generatedCode: true }); fs.writeFileSync(at.dataDirectory + '/s.cjs', 'module.exports = () => { throw new Error("x") };\\n//# sourceMappingURL=' + at.json); try { require(at.dataDirectory + '/s.cjs')(); } catch (error) { return error.stack + JSON.stringify(module.findSourceMap(at.dataDirectory + '/s.cjs')?.payload); } }`,
  },
  {
    title: 'process.setSourceMapsEnabled with the URL of a map elsewhere',
    code: `{ process.setSourceMapsEnabled(true); fs.writeFileSync(at.dataDirectory + '/t.cjs', 'module.exports = () => { throw new Error("x") };\\n//# sourceMappingURL=file://' + at.json); try { require(at.dataDirectory + '/t.cjs')(); } catch (error) { return error.stack + JSON.stringify(module.findSourceMap(at.dataDirectory + '/t.cjs')?.payload); } }`,
  },
  {
    title: 'the name of a script that is elsewhere, for its error',
    code: `{ try { new vm.Script('throw new Error()', { filename: at.secret }).runInThisContext(); } catch (error) { return error.stack; } }`,
  },
  {
    title: 'vm.Script that imports',
    code: `new vm.Script('import(' + JSON.stringify(at.module) + ')', { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }).runInThisContext()`,
  },
  {
    title: 'vm.runInNewContext that reads through a leaked process',
    code: `vm.runInNewContext('p.getBuiltinModule("fs").readFileSync(f, "utf8")', { p: process, f: at.secret })`,
  },
  { title: 'new Function that imports', code: `new Function('f', 'return import(f)')(at.module)` },
  { title: 'process.loadEnvFile', code: `{ process.loadEnvFile(at.secret); return process.env.SECRET; }` },
  {
    title: 'process.loadEnvFile of a setting of OpenSSL',
    code: `{ fs.writeFileSync(at.dataDirectory + '/.env', 'SSL_CERT_FILE=' + at.pem); process.loadEnvFile(at.dataDirectory + '/.env'); return tls.getCACertificates('system'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'tls.getCACertificates with SSL_CERT_FILE',
    code: `{ process.env.SSL_CERT_FILE = at.pem; return tls.getCACertificates('system'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'tls.getCACertificates with SSL_CERT_DIR',
    code: `{ process.env.SSL_CERT_DIR = at.folder; return tls.getCACertificates('system'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'tls.getCACertificates with SSL_CERT_FILE of the module process',
    code: `{ const { env } = await import('node:process'); env.SSL_CERT_FILE = at.pem; return tls.getCACertificates('system'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'tls.getCACertificates with NODE_EXTRA_CA_CERTS',
    code: `{ process.env.NODE_EXTRA_CA_CERTS = at.pem; return tls.getCACertificates('extra'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'tls.createSecureContext with SSL_CERT_FILE',
    code: `{ process.env.SSL_CERT_FILE = at.pem; process.env.NODE_USE_SYSTEM_CA = '1'; return tls.createSecureContext({}).context.constructor.name; }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'OPENSSL_CONF',
    code: `{ process.env.OPENSSL_CONF = at.secret; return crypto.getCiphers().length && crypto.createHash('sha256').digest('hex'); }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'HOSTALIASES',
    code: `{ process.env.HOSTALIASES = at.secret; return dns.promises.resolve4('SECRET'); }`,
    isolation: 'UNFENCED',
  },
  { title: 'TZ as a path', code: `{ process.env.TZ = ':' + at.secret; return String(new Date()); }` },
  { title: 'crypto.setEngine', code: `crypto.setEngine(at.library)` },
  {
    title: 'crypto.setEngine by its path and all flags',
    code: `crypto.setEngine(at.library, crypto.constants.ENGINE_METHOD_ALL)`,
  },
  { title: 'clientCertEngine of tls', code: `tls.createSecureContext({ clientCertEngine: at.library })` },
  {
    title: 'privateKeyEngine of tls',
    code: `tls.createSecureContext({ privateKeyEngine: at.library, privateKeyIdentifier: 'x' })`,
  },
  {
    title: 'crypto.createPrivateKey of an OpenSSL store',
    code: `crypto.createPrivateKey({ key: 'file:' + at.pem, format: 'uri' })`,
  },
  {
    title: 'crypto.createPrivateKey of a store, as a URL',
    code: `crypto.createPrivateKey(new URL('file://' + at.pem))`,
  },
  {
    title: 'crypto.createPublicKey of a store',
    code: `crypto.createPublicKey({ key: new URL('file://' + at.pem), format: 'store' })`,
  },
  {
    title: 'crypto.setFips',
    code: `{ process.env.OPENSSL_MODULES = at.folder; process.env.OPENSSL_CONF = at.secret; return crypto.setFips(true); }`,
    isolation: 'UNFENCED',
  },
  { title: 'process.dlopen', code: `process.dlopen({ exports: {} }, at.library)` },
  {
    title: 'process.dlopen in a namespace of the linker',
    code: `process.dlopen({ exports: {} }, at.library, 2)`,
  },
  {
    title: 'require of an addon',
    code: `{ fs.writeFileSync(at.dataDirectory + '/x.node', ''); return require(at.dataDirectory + '/x.node'); }`,
  },
  {
    title: 'Module._extensions of addons',
    code: `module._extensions['.node'](new module.Module('x'), at.library)`,
  },
  { title: 'import of an addon', code: `import(url.pathToFileURL(at.library) + '#.node')` },
  { title: 'process.binding of fs', code: `process.binding('fs').readFileUtf8(at.secret, 0)` },
  { title: 'process._linkedBinding', code: `process._linkedBinding('fs').readFileUtf8(at.secret, 0)` },
  {
    title: 'internalBinding as a global',
    code: `globalThis.internalBinding('fs').readFileUtf8(at.secret, 0)`,
  },
  {
    title: 'process.getBuiltinModule of an internal module',
    code: `process.getBuiltinModule('internal/test/binding').internalBinding('fs').readFileUtf8(at.secret, 0)`,
  },
  { title: 'require of an internal module', code: `require('internal/bootstrap/realm')` },
  { title: 'import of an internal module', code: `import('node:internal/test/binding')` },
  {
    title: 'node:wasi that opens a directory',
    code: `{ const system = new wasi.WASI({ version: 'preview1', preopens: { '/x': at.folder } }); const memory = new WebAssembly.Memory({ initial: 1 }); const text = new TextEncoder().encode('secret'); new Uint8Array(memory.buffer).set(text, 100); system.finalizeBindings({ exports: { memory } }); const { path_open, fd_read } = system.wasiImport; const opened = path_open(3, 0, 100, text.length, 0, 2n, 0n, 0, 0); const view = new DataView(memory.buffer); view.setUint32(200, 300, true); view.setUint32(204, 99, true); const read = fd_read(view.getUint32(0, true), 200, 1, 208); return opened + ' ' + read + ' ' + Buffer.from(memory.buffer, 300, 99); }`,
  },
  {
    title: 'node:sqlite opens a file',
    code: `import('node:sqlite').then(({ DatabaseSync }) => new DatabaseSync(at.json).exec('select * from sqlite_master'))`,
  },
  {
    title: 'node:sqlite by require',
    code: `new (require('node:sqlite').DatabaseSync)(at.json).exec('select * from sqlite_master')`,
  },
  {
    title: 'node:sqlite by process.getBuiltinModule',
    code: `new (process.getBuiltinModule('node:sqlite').DatabaseSync)(at.json).exec('select * from sqlite_master')`,
  },
  { title: 'node:sea', code: `import('node:sea').then(({ getRawAsset }) => getRawAsset(at.secret))` },
  { title: 'fetch of a file', code: `fetch(url.pathToFileURL(at.secret)).then((answer) => answer.text())` },
  {
    title: 'localStorage',
    code: `{ process.execArgv.push('--localstorage-file=' + at.absent); localStorage.setItem('x', 'y'); }`,
  },
  {
    title: 'a run of node:test without processes',
    code: `{ const { run } = await import('node:test'); for await (const event of run({ files: [at.module], isolation: 'none' })) if (event.type === 'test:fail') return event.data.details.error; }`,
  },
  {
    title: '.load of node:repl',
    code: `{ const input = new stream.PassThrough(); const output = new stream.PassThrough(); keep(repl.start({ input, output })); input.write('.load ' + at.secret + '\\n'); await pause(200); return String(output.read()); }`,
  },
  {
    title: 'dgram over a handle with a descriptor',
    code: `{ const socket = keep(dgram.createSocket('udp4')); socket.bind({ fd: 4 }); await once(socket, 'listening'); return socket.address(); }`,
  },
  {
    title: 'new net.Socket over a descriptor',
    code: `once(keep(new net.Socket({ fd: 4 })).on('data', (text) => console.log(String(text))), 'end')`,
  },
  { title: 'new tty.ReadStream over a descriptor', code: `new tty.ReadStream(4)` },
];
