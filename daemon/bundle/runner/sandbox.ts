import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import v8 from 'node:v8';

/** Object whose methods are taken away; those of the handles below `net` and `dgram` are where all ways to the network meet. */
type Methods = Record<string, unknown>;

// What libuv gives for EACCES: whoever calls sees an ordinary error of the socket.
const EACCES = -13;

/**
 * Takes away what Node.js allows although the permission model is on: signals to other processes, flags of V8, and the
 * network unless it is granted. Has to run before anything of the bundle.
 *
 * Sockets of the file system stay closed in any case: the gateway's own is among them.
 *
 * @throws {TypeError} when something is not where it has to be; nothing of the bundle may run then
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
  if (!(name in owner)) throw new TypeError(`${name} is not there to be closed`);
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
  // An abstract name takes no place in the file system; in use or not, the handle is made.
  server.on('error', () => undefined);
  server.listen(`\0penstock-fence-${process.pid}`);
  const prototype = prototypeOf((server as unknown as Methods)['_handle']);
  server.close();
  return prototype;
}

function findTcp(): Methods {
  const socket = new net.Socket();
  // The name is never looked up, so nothing is sent.
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
