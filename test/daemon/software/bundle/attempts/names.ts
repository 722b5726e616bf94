import type { Attempt } from '../../../../support/attempts/attempt.ts';

const TYPES = [
  'A',
  'AAAA',
  'ANY',
  'CAA',
  'CNAME',
  'MX',
  'NAPTR',
  'NS',
  'PTR',
  'SOA',
  'SRV',
  'TLSA',
  'TXT',
] as const;

/** Questions to a name server, which carry text out as well. */
export const NAMES: readonly Attempt[] = [
  { title: 'dns.lookup', code: `callback((done) => dns.lookup('x.example', done))` },
  { title: 'dns.promises.lookup', code: `dns.promises.lookup('x.example')` },
  {
    title: 'lookup of the module dns',
    code: `import('node:dns').then(({ lookup }) => callback((done) => lookup('x.example', done)))`,
  },
  {
    title: 'lookup of the module dns/promises',
    code: `import('node:dns/promises').then(({ lookup }) => lookup('x.example'))`,
  },
  {
    title: 'lookup by process.getBuiltinModule',
    code: `process.getBuiltinModule('dns/promises').lookup('x.example')`,
  },
  { title: 'dns.lookupService', code: `callback((done) => dns.lookupService('192.0.2.1', 80, done))` },
  { title: 'dns.promises.lookupService', code: `dns.promises.lookupService('192.0.2.1', 80)` },
  { title: 'dns.reverse', code: `callback((done) => dns.reverse('192.0.2.1', done))` },
  { title: 'dns.promises.reverse', code: `dns.promises.reverse('192.0.2.1')` },
  ...TYPES.map((type) => ({
    title: `dns.resolve of ${type}`,
    code: `dns.promises.resolve('x.example', '${type}')`,
  })),
  { title: 'dns.resolve4', code: `callback((done) => dns.resolve4('x.example', done))` },
  { title: 'new dns.Resolver', code: `callback((done) => new dns.Resolver().resolve4('x.example', done))` },
  { title: 'new dns.promises.Resolver', code: `new dns.promises.Resolver().resolve6('x.example')` },
  {
    title: 'new dns.Resolver with a server of its choice',
    code: `{ const resolver = new dns.Resolver(); resolver.setServers(['127.0.0.1']); return callback((done) => resolver.resolveTxt('x.example', done)); }`,
  },
  {
    title: 'new dns.Resolver from a local address',
    code: `{ const resolver = new dns.Resolver(); resolver.setLocalAddress('127.0.0.1'); return callback((done) => resolver.resolveTxt('x.example', done)); }`,
  },
  {
    title: 'the handle of a resolver',
    code: `handleOf(new dns.Resolver()).queryA({ oncomplete() {} }, 'x.example') ?? pause(50)`,
  },
  {
    title: 'the constructor of the handle of a resolver',
    code: `{ const { constructor } = handleOf(new dns.Resolver()); const handle = keep(new constructor(-1, 1, 1000)); handle.queryA({ oncomplete() {} }, 'x.example'); await pause(50); }`,
  },
  { title: 'http.get of a name', code: `once(http.get('http://x.example/'), 'response')` },
  { title: 'fetch of a name', code: `fetch('http://x.example/')` },
  {
    title: 'dgram.send to a name',
    code: `callback((done) => keep(dgram.createSocket('udp4')).on('error', done).send('x', 9, 'x.example', done))`,
  },
  { title: 'net.connect to a name', code: `once(net.connect(9, 'x.example'), 'connect')` },
  {
    title: 'net.Server.listen on a name',
    code: `once(keep(net.createServer()).listen(0, 'x.example'), 'listening')`,
  },
];
