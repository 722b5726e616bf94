import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** The objects below sockets, by which a program reaches the system without the modules of Node.js. */
export const HANDLES: readonly Attempt[] = [
  {
    title: 'TCP.bind and TCP.listen',
    code: `{ const handle = keep(new (tcpHandle().constructor)(1)); const results = [handle.bind('127.0.0.1', 0), handle.listen(8)]; await pause(20); return results; }`,
  },
  {
    title: 'TCP.bind6',
    code: `{ const handle = keep(new (tcpHandle().constructor)(1)); return [handle.bind6('::1', 0, 0), handle.listen(8)]; }`,
  },
  { title: 'TCP.listen without an address', code: `keep(new (tcpHandle().constructor)(1)).listen(8)` },
  {
    title: 'TCP.connect',
    code: `{ keep(new (tcpHandle().constructor)(0)).connect({ oncomplete() {} }, '127.0.0.1', at.tcpPort); await pause(50); }`,
  },
  {
    title: 'TCP.connect6',
    code: `{ keep(new (tcpHandle().constructor)(0)).connect6({ oncomplete() {} }, '::1', at.tcpPort); await pause(50); }`,
  },
  {
    title: 'TCP.open of a descriptor',
    code: `{ const handle = keep(new (tcpHandle().constructor)(0)); handle.open(4); handle.onread = () => {}; handle.readStart(); await pause(20); return handle.fd; }`,
  },
  {
    title: 'TCP.reset',
    code: `{ const handle = keep(new (tcpHandle().constructor)(1)); const results = [handle.bind?.('127.0.0.1', 0), handle.listen(1)]; return results; }`,
  },
  {
    title: 'the connect of the prototype of TCP',
    code: `{ const prototype = Object.getPrototypeOf(tcpHandle()); Reflect.getOwnPropertyDescriptor(prototype, 'connect').value.call(keep(new prototype.constructor(0)), { oncomplete() {} }, '127.0.0.1', at.tcpPort); await pause(50); }`,
  },
  {
    title: 'TCP of a server that async_hooks shows',
    code: `{ const found = []; const hook = asyncHooks.createHook({ init: (id, type, trigger, resource) => /TCP/.test(type) && found.push(resource) }).enable(); keep(net.createServer()).on('error', () => {}).listen(0, '127.0.0.1'); keep(new net.Socket()).on('error', () => {}).connect(at.tcpPort, '127.0.0.1'); hook.disable(); for (const handle of found) handle.connect?.({ oncomplete() {} }, '127.0.0.1', at.tcpPort); await pause(50); return found.length; }`,
  },
  {
    title: 'handles of process._getActiveHandles',
    code: `{ const own = process._getActiveHandles(); const handle = own.map(handleOf).find((value) => value?.constructor?.name === 'Pipe'); const other = keep(new handle.constructor(0)); other.connect({ oncomplete() {} }, at.socket); await pause(50); return own.length; }`,
  },
  {
    title: 'handles of process._getActiveRequests',
    code: `{ const socket = keep(new net.Socket()); socket.on('error', () => {}).connect(at.tcpPort, '127.0.0.1'); await pause(50); return process._getActiveRequests().length; }`,
  },
  {
    title: 'Pipe.connect',
    code: `{ keep(new (pipeHandle().constructor)(0)).connect({ oncomplete() {} }, at.socket); await pause(50); }`,
  },
  {
    title: 'Pipe.connect to an abstract socket',
    code: `{ keep(new (pipeHandle().constructor)(0)).connect({ oncomplete() {} }, at.abstractSocket); await pause(50); }`,
  },
  {
    title: 'Pipe.bind and Pipe.listen',
    code: `{ const handle = keep(new (pipeHandle().constructor)(1)); return [handle.bind(at.absent), handle.listen(8)]; }`,
  },
  {
    title: 'Pipe.bind2 and Pipe.connect2',
    code: `{ const handle = keep(new (pipeHandle().constructor)(1)); return [(handle.bind2 ?? handle.bind).call(handle, at.absent, 0), handle.listen(8)]; }`,
  },
  {
    title: 'Pipe.open of a descriptor',
    code: `{ const handle = keep(new (pipeHandle().constructor)(0)); handle.open(4); handle.onread = () => {}; handle.readStart(); await pause(20); return handle.fd; }`,
  },
  {
    title: 'Pipe.fchmod',
    code: `{ const handle = keep(new (pipeHandle().constructor)(1)); handle.bind(at.absent); return handle.fchmod(3); }`,
  },
  {
    title: 'Pipe for passed descriptors',
    code: `{ const handle = keep(new (pipeHandle().constructor)(2)); handle.open(3); handle.onread = () => {}; handle.readStart(); return [handle.pendingHandle, handle.connect({ oncomplete() {} }, at.socket)]; }`,
    isolation: 'UNFENCED',
  },
  { title: 'UDP.bind', code: `keep(new (udpHandle().constructor)()).bind('127.0.0.1', 0, 0)` },
  { title: 'UDP.bind6', code: `keep(new (udpHandle().constructor)()).bind6('::1', 0, 0)` },
  {
    title: 'UDP.recvStart without bind',
    code: `{ const handle = keep(new (udpHandle().constructor)()); handle.onmessage = () => {}; return handle.recvStart(); }`,
  },
  {
    title: 'UDP.recvStart of a socket',
    code: `{ const handle = udpHandle(); handle.onmessage = () => {}; return handle.recvStart(); }`,
  },
  {
    title: 'UDP.addMembership',
    code: `keep(new (udpHandle().constructor)()).addMembership('224.0.0.1', '127.0.0.1')`,
  },
  {
    title: 'UDP.addSourceSpecificMembership',
    code: `keep(new (udpHandle().constructor)()).addSourceSpecificMembership('127.0.0.1', '232.1.1.1', '127.0.0.1')`,
  },
  {
    title: 'UDP.setMulticastInterface',
    code: `{ const handle = keep(new (udpHandle().constructor)()); handle.setMulticastInterface('127.0.0.1'); return handle.recvStart(); }`,
  },
  {
    title: 'UDP.setMulticastTTL and UDP.setTTL',
    code: `{ const handle = keep(new (udpHandle().constructor)()); return [handle.setMulticastTTL(3), handle.setTTL(3), handle.setBroadcast(1), handle.recvStart()]; }`,
  },
  {
    title: 'UDP.connect',
    code: `{ const handle = keep(new (udpHandle().constructor)()); return [handle.connect('127.0.0.1', at.udpPort), handle.getpeername({})]; }`,
  },
  {
    title: 'UDP.connect6',
    code: `{ const handle = keep(new (udpHandle('udp6').constructor)()); return [handle.connect6('::1', at.udpPort), handle.getpeername({})]; }`,
  },
  {
    title: 'UDP.send',
    code: `{ keep(new (udpHandle().constructor)()).send({ oncomplete() {} }, [Buffer.from('x')], 1, at.udpPort, '127.0.0.1', false); await pause(20); }`,
  },
  {
    title: 'UDP.send6',
    code: `{ keep(new (udpHandle('udp6').constructor)()).send6({ oncomplete() {} }, [Buffer.from('x')], 1, at.udpPort, '::1', false); await pause(20); }`,
  },
  {
    title: 'UDP.open of a descriptor',
    code: `{ const handle = keep(new (udpHandle().constructor)()); handle.open(4); handle.onmessage = () => {}; handle.recvStart(); return handle.fd; }`,
  },
  {
    title: 'UDP of a socket that async_hooks shows',
    code: `{ const found = []; const hook = asyncHooks.createHook({ init: (id, type, trigger, resource) => type === 'UDPWRAP' && found.push(resource) }).enable(); keep(dgram.createSocket('udp4')); hook.disable(); return found.map((handle) => handle.recvStart()); }`,
  },
  {
    title: 'the methods of a replaced prototype',
    code: `{ const handle = udpHandle(); Object.setPrototypeOf(handle, { __proto__: Object.getPrototypeOf(handle) }); return handle.bind('127.0.0.1', 0, 0); }`,
  },
  {
    title: 'a subclass of UDP',
    code: `{ class Own extends udpHandle().constructor {} const handle = keep(new Own()); return [handle.bind('127.0.0.1', 0, 0), super_of(handle)]; function super_of(value) { return Object.getPrototypeOf(Object.getPrototypeOf(value)).recvStart.call(value); } }`,
  },
  {
    title: 'UDP.prototype.bind put back',
    code: `{ const prototype = Object.getPrototypeOf(udpHandle()); delete prototype.bind; delete prototype.recvStart; return [keep(new prototype.constructor()).bind('127.0.0.1', 0, 0), keep(new prototype.constructor()).recvStart()]; }`,
  },
  {
    title: 'a handle made in a vm context',
    code: `{ const constructor = udpHandle().constructor; const handle = vm.runInNewContext('Reflect.construct(C, [], Object)', { C: constructor }); return Object.getPrototypeOf(udpHandle()).recvStart.call(keep(handle)); }`,
  },
  {
    title: 'Reflect.construct of TCP with another prototype',
    code: `{ const handle = keep(Reflect.construct(tcpHandle().constructor, [1], Array)); return Object.getPrototypeOf(tcpHandle()).listen.call(handle, 8); }`,
  },
  {
    title: 'a FileHandle over any descriptor',
    code: `{ const own = await fsPromises.open(at.dataDirectory + '/x', 'w'); const key = Object.getOwnPropertySymbols(own).find((symbol) => own[symbol]?.constructor?.name === 'FileHandle'); const text = Buffer.alloc(99); const other = keep(new own[key].constructor(4)); fs.readSync(other.fd ?? 4, text, 0, 99, 0); return text; }`,
    isolation: 'UNFENCED',
  },
  {
    title: 'the handle of a FileHandle that is transferred',
    code: `{ const own = await fsPromises.open(at.secret); const { port1, port2 } = new MessageChannel(); port1.postMessage(own, [own]); return workerThreads.receiveMessageOnPort(port2).message.readFile('utf8'); }`,
  },
  {
    title: 'FSEvent of fs.watch',
    code: `tell(at, (file) => { const watcher = keep(fs.watch(at.dataDirectory)); const { constructor: FSEvent } = handleOf(watcher); return new FSEvent().start(file, true, false, 'utf8'); })`,
  },
  {
    title: 'StatWatcher of fs.watchFile',
    code: `tell(at, (file) => new Promise((resolve) => { const watcher = fs.watchFile(at.dataDirectory + '/w', () => {}); const handle = handleOf(watcher); const other = keep(new handle.constructor(false)); other.onchange = (status, stats) => resolve([...stats].slice(0, 2)); resolve(Promise.race([other.start(file, 10), pause(100)])); }))`,
  },
  {
    title: 'a TLS socket over a handle of TCP',
    code: `{ const socket = keep(new net.Socket({ handle: tcpHandle() })); socket.on('error', () => {}); return once(socket.connect(at.tcpPort, '127.0.0.1'), 'connect'); }`,
  },
  {
    title: 'a session of http2 over a handle of TCP',
    code: `once(keep(http2.connect('http://x', { createConnection: () => new net.Socket({ handle: tcpHandle() }).connect(at.tcpPort, '127.0.0.1') })), 'connect')`,
  },
  {
    title: 'the handle of a socket that diagnostics_channel shows',
    code: `{ let seen; diagnosticsChannel.subscribe('net.client.socket', ({ socket }) => { seen = socket; }); const socket = keep(net.connect(at.tcpPort, '127.0.0.1')); socket.on('error', () => {}); handleOf(seen)?.connect({ oncomplete() {} }, '127.0.0.1', at.tcpPort); await pause(50); return handleOf(seen) === null; }`,
  },
  {
    title: 'the handle of a child that diagnostics_channel shows',
    code: `{ let seen; diagnosticsChannel.subscribe('child_process', ({ process: child }) => { seen = child; }); try { keep(childProcess.spawn('sleep', Array.of('30'))); } catch {} seen ??= new childProcess.ChildProcess(); return seen._handle.spawn({ file: '/bin/sleep', args: ['sleep', '30'], stdio: [] }); }`,
  },
];
