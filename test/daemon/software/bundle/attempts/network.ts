import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Connections, datagrams and listeners, on the network and on local sockets. */
export const NETWORK: readonly Attempt[] = [
  { title: 'net.connect', code: `once(net.connect(at.tcpPort, '127.0.0.1'), 'connect')` },
  { title: 'net.connect by IPv6', code: `once(net.connect(at.tcpPort, '::1'), 'connect')` },
  {
    title: 'net.connect to a mapped address',
    code: `once(net.connect(at.tcpPort, '::ffff:127.0.0.1'), 'connect')`,
  },
  { title: 'net.connect by name', code: `once(net.connect(at.tcpPort, 'localhost'), 'connect')` },
  {
    title: 'net.connect with a lookup of its own',
    code: `once(net.connect({ port: at.tcpPort, host: 'x.invalid', lookup: (name, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) }), 'connect')`,
  },
  {
    title: 'net.connect from a local port',
    code: `once(net.connect({ port: at.tcpPort, host: '127.0.0.1', localAddress: '127.0.0.1', localPort: 30333 }), 'connect')`,
  },
  { title: 'net.Socket.connect', code: `once(new net.Socket().connect(at.tcpPort, '127.0.0.1'), 'connect')` },
  { title: 'new net.Stream', code: `once(new net.Stream().connect(at.tcpPort, '127.0.0.1'), 'connect')` },
  { title: 'net.connect to a local socket', code: `once(net.connect(at.socket), 'connect')` },
  { title: 'net.connect to an abstract socket', code: `once(net.connect(at.abstractSocket), 'connect')` },
  {
    title: 'net.connect to a path with ..',
    code: `once(net.connect(at.dataDirectory + '/../../canary/listener.sock'), 'connect')`,
  },
  {
    title: 'tls.connect',
    code: `once(tls.connect(at.tcpPort, '127.0.0.1', { rejectUnauthorized: false }), 'secureConnect')`,
  },
  { title: 'tls.connect to a local socket', code: `once(tls.connect({ path: at.socket }), 'secureConnect')` },
  { title: 'http.get', code: `once(http.get({ port: at.tcpPort, host: '127.0.0.1' }), 'response')` },
  { title: 'http.get to a local socket', code: `once(http.get({ socketPath: at.socket }), 'response')` },
  {
    title: 'http.Agent with a connection of its own',
    code: `once(http.get({ agent: new http.Agent(), createConnection: () => net.connect(at.tcpPort, '127.0.0.1') }), 'response')`,
  },
  { title: 'https.get', code: `once(https.get({ port: at.tcpPort, host: '127.0.0.1' }), 'response')` },
  { title: 'http2.connect', code: `once(keep(http2.connect('http://127.0.0.1:' + at.tcpPort)), 'connect')` },
  { title: 'fetch', code: `fetch('http://127.0.0.1:' + at.tcpPort).then((answer) => answer.status)` },
  { title: 'fetch by name', code: `fetch('http://localhost:' + at.tcpPort).then((answer) => answer.status)` },
  {
    title: 'new WebSocket',
    code: `new Promise((resolve, reject) => Object.assign(new WebSocket('ws://127.0.0.1:' + at.tcpPort), { onopen: resolve, onerror: reject }))`,
  },
  {
    title: 'new EventSource',
    code: `new Promise((resolve, reject) => Object.assign(new EventSource('http://127.0.0.1:' + at.tcpPort), { onopen: resolve, onerror: reject }))`,
  },
  {
    title: 'the dispatcher of fetch',
    code: `{ const key = Object.getOwnPropertySymbols(globalThis).find((symbol) => String(symbol).includes('undici')); const dispatcher = globalThis[key] ?? (await fetch('http://127.0.0.1:' + at.tcpPort)); return dispatcher.request?.({ origin: 'http://127.0.0.1:' + at.tcpPort, path: '/', method: 'GET' }); }`,
  },
  { title: 'import of a URL of the network', code: `import('http://127.0.0.1:' + at.tcpPort + '/x.mjs')` },
  { title: 'net.Server.listen', code: `once(keep(net.createServer()).listen(0), 'listening')` },
  {
    title: 'net.Server.listen on the loopback',
    code: `once(keep(net.createServer()).listen(0, '127.0.0.1'), 'listening')`,
  },
  {
    title: 'net.Server.listen on IPv6',
    code: `once(keep(net.createServer()).listen({ port: 0, host: '::', ipv6Only: true }), 'listening')`,
  },
  {
    title: 'net.Server.listen on a path of its data',
    code: `once(keep(net.createServer()).listen(at.dataDirectory + '/s'), 'listening')`,
  },
  {
    title: 'net.Server.listen on a path elsewhere',
    code: `once(keep(net.createServer()).listen(at.absent), 'listening')`,
  },
  {
    title: 'net.Server.listen on a path that all may write',
    code: `once(keep(net.createServer()).listen({ path: at.absent, readableAll: true, writableAll: true }), 'listening')`,
  },
  {
    title: 'net.Server.listen on an abstract name',
    code: `once(keep(net.createServer()).listen('\\0penstock-other'), 'listening')`,
  },
  {
    title: 'net.Server.listen on a descriptor',
    code: `once(keep(net.createServer()).listen({ fd: 4 }), 'listening')`,
  },
  {
    title: 'net.Server.listen on the link',
    code: `once(keep(net.createServer()).listen({ fd: 3 }), 'listening')`,
    isolation: 'UNFENCED',
  },
  {
    title: 'net.Server.listen on a handle of TCP',
    code: `once(keep(net.createServer()).listen(tcpHandle()), 'listening')`,
  },
  { title: 'http.createServer', code: `once(keep(http.createServer()).listen(0), 'listening')` },
  { title: 'http2.createServer', code: `once(keep(http2.createServer()).listen(0), 'listening')` },
  { title: 'tls.createServer', code: `once(keep(tls.createServer()).listen(0), 'listening')` },
  {
    title: 'dgram.send',
    code: `callback((done) => keep(dgram.createSocket('udp4')).on('error', done).send('x', at.udpPort, '127.0.0.1', done))`,
  },
  {
    title: 'dgram.send by IPv6',
    code: `callback((done) => keep(dgram.createSocket('udp6')).on('error', done).send('x', at.udpPort, '::1', done))`,
  },
  {
    title: 'dgram.send by name',
    code: `callback((done) => keep(dgram.createSocket('udp4')).on('error', done).send('x', at.udpPort, 'localhost', done))`,
  },
  {
    title: 'dgram.send with a lookup of its own',
    code: `callback((done) => keep(dgram.createSocket({ type: 'udp4', lookup: (name, family, found) => found(null, '127.0.0.1', 4) })).on('error', done).send('x', at.udpPort, 'x', done))`,
  },
  {
    title: 'dgram.connect',
    code: `{ const socket = keep(dgram.createSocket('udp4')); socket.connect(at.udpPort, '127.0.0.1'); await once(socket, 'connect'); socket.send('x'); await pause(50); }`,
  },
  { title: 'dgram.bind', code: `once(keep(dgram.createSocket('udp4')).bind(0), 'listening')` },
  { title: 'dgram.bind by IPv6', code: `once(keep(dgram.createSocket('udp6')).bind(0), 'listening')` },
  {
    title: 'dgram.bind, exclusive and reused',
    code: `once(keep(dgram.createSocket({ type: 'udp4', reuseAddr: true, reusePort: true })).bind({ port: 0, exclusive: true }), 'listening')`,
  },
  { title: 'dgram.addMembership', code: `keep(dgram.createSocket('udp4')).addMembership('224.0.0.251')` },
  {
    title: 'dgram.addSourceSpecificMembership',
    code: `keep(dgram.createSocket('udp4')).addSourceSpecificMembership('127.0.0.1', '232.0.0.1')`,
  },
  {
    title: 'dgram.setMulticastInterface',
    code: `keep(dgram.createSocket('udp4')).setMulticastInterface('127.0.0.1')`,
  },
  {
    title: 'dgram.setBroadcast',
    code: `{ const socket = keep(dgram.createSocket('udp4')); socket.setBroadcast(true); return callback((done) => socket.on('error', done).send('x', at.udpPort, '127.255.255.255', done)); }`,
  },
  {
    title: 'new BroadcastChannel',
    code: `{ const channel = keep(new BroadcastChannel('x')); channel.postMessage('x'); return fetch('http://127.0.0.1:' + at.tcpPort); }`,
  },
  { title: 'node:inspector opens a port', code: `inspector.open(0, '127.0.0.1')`, isolation: 'UNFENCED' },
  {
    title: 'node:inspector asks the network',
    code: `inspector.Network.loadNetworkResource?.('http://127.0.0.1:' + at.tcpPort) ?? inspector.open(0)`,
    isolation: 'UNFENCED',
  },
  { title: 'net.BoundSocket', code: `keep(new net.BoundSocket({ port: 0 }))` },
  { title: 'net._createServerHandle', code: `keep(net._createServerHandle('127.0.0.1', 0, 4))` },
  { title: 'net._createServerHandle on a path', code: `keep(net._createServerHandle(at.absent, -1, -1))` },
  { title: 'dgram._createSocketHandle', code: `keep(dgram._createSocketHandle('127.0.0.1', 0, 'udp4'))` },
  {
    title: 'http.globalAgent.createConnection',
    code: `once(http.globalAgent.createConnection({ port: at.tcpPort, host: '127.0.0.1' }), 'connect')`,
  },
  {
    title: '_tls_wrap',
    code: `once(require('_tls_wrap').connect({ port: at.tcpPort, host: '127.0.0.1', rejectUnauthorized: false }), 'secureConnect')`,
  },
  {
    title: 'the proxy of the environment',
    code: `{ process.env.HTTP_PROXY = 'http://127.0.0.1:' + at.tcpPort; process.env.NODE_USE_ENV_PROXY = '1'; return fetch('http://203.0.113.1/'); }`,
  },
  {
    title: 'a Happy Eyeballs connection',
    code: `once(net.connect({ host: 'x', port: at.tcpPort, autoSelectFamily: true, lookup: (name, options, done) => done(null, [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }]) }), 'connect')`,
  },
];
