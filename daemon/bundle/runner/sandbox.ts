import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import v8 from 'node:v8';

/** Object whose methods are replaced. All network access goes through the handles below `net` and `dgram`. */
type Methods = Record<string, unknown>;

// libuv's code for EACCES: the caller sees an ordinary socket error.
const EACCES = -13;

/**
 * Removes features that Node.js allows in spite of the permission model: signals to other processes, V8 flags, and the network
 * unless it is granted. Must run before any code of the bundle.
 *
 * Unix domain sockets stay closed in any case: that of the gateway is one of them.
 *
 * @throws {TypeError} when a feature is not found where it is expected; no code of the bundle may run then
 */
export function enterSandbox({ isNetworkGranted }: { readonly isNetworkGranted: boolean }): void {
  for (const name of ['kill', '_kill', '_debugProcess', '_debugEnd', 'binding', '_linkedBinding', 'dlopen']) {
    replace(process, name, refuse(`process.${name}`));
  }
  replace(os, 'setPriority', refuse('os.setPriority'));
  for (const name of ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit']) {
    replace(v8, name, refuse(`v8.${name}`));
  }
  closeHandle(findPipe(), ['bind', 'listen', 'connect']);
  if (!isNetworkGranted) closeNetwork();
  syncBuiltinESMExports();
}

function closeNetwork(): void {
  closeHandle(findTcp(), ['bind', 'bind6', 'listen', 'connect', 'connect6', 'open']);
  closeHandle(findUdp(), ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6', 'open']);
  const resolver = findResolver();
  const queries = Object.getOwnPropertyNames(resolver).filter((name) =>
    /^(?:query|getHostByAddr)/.test(name),
  );
  closeHandle(resolver, queries);
  for (const name of ['lookup', 'lookupService']) {
    replace(dns, name, failLater);
    replace(dns.promises, name, rejectLater);
  }
}

function closeHandle(prototype: Methods, names: readonly string[]): void {
  for (const name of names) replace(prototype, name, () => EACCES);
  Object.freeze(prototype);
}

function replace(owner: object, name: string, value: unknown): void {
  if (!(name in owner)) throw new TypeError(`${name} does not exist and cannot be closed`);
  Object.defineProperty(owner, name, { value, writable: false, configurable: false });
}

function refuse(name: string): () => never {
  return () => {
    throw Object.assign(new Error(`${name} is closed to bundles`), { code: 'ERR_ACCESS_DENIED' });
  };
}

function accessError(): Error {
  return Object.assign(new Error('the bundle has no permission "net"'), { code: 'EACCES' });
}

function failLater(...given: readonly unknown[]): void {
  const callback = given.at(-1);
  if (typeof callback === 'function') process.nextTick(callback, accessError());
}

function rejectLater(): Promise<never> {
  return Promise.reject(accessError());
}

function findPipe(): Methods {
  const server = net.createServer();
  // An abstract name creates no file; the handle exists even when the name is in use.
  server.on('error', () => undefined);
  server.listen(`\0penstock-fence-${process.pid}`);
  const prototype = prototypeOf((server as unknown as Methods)['_handle']);
  server.close();
  return prototype;
}

function findTcp(): Methods {
  const socket = new net.Socket();
  // `lookup` never answers, so nothing is sent.
  socket.connect({ host: 'fence.invalid', port: 1, lookup: () => undefined });
  const prototype = prototypeOf((socket as unknown as Methods)['_handle']);
  socket.destroy();
  return prototype;
}

function findUdp(): Methods {
  const socket = dgram.createSocket('udp4');
  const fields = socket as unknown as Record<symbol, { readonly handle?: unknown } | undefined>;
  const handle = Object.getOwnPropertySymbols(socket)
    .map((symbol) => fields[symbol]?.handle)
    .find((candidate) => candidate !== undefined);
  const prototype = prototypeOf(handle);
  socket.close();
  return prototype;
}

function findResolver(): Methods {
  return prototypeOf((new dns.Resolver() as unknown as Methods)['_handle']);
}

function prototypeOf(handle: unknown): Methods {
  if (typeof handle !== 'object' || handle === null)
    throw new TypeError('a handle of the network is not found');
  return Object.getPrototypeOf(handle) as Methods;
}
