import { ChildProcess } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

import { refuse, replace } from './replace.ts';

/** Methods of the native objects below the modules of Node.js, by name; they are shared by all objects of a class. */
type NativeMethods = Record<string, unknown>;

interface HandleGrants {
  readonly isNetworkGranted: boolean;
  readonly areProgramsGranted: boolean;
}

// libuv's code for EACCES: the caller sees an ordinary socket error.
const EACCES = -13;

// Whatever is not listed is closed, so that a method of a later Node.js is closed until somebody has looked at it.
const HARMLESS = {
  tcp: ['getsockname', 'getpeername', 'getTypeOfService'],
  udp: ['getsockname', 'getpeername', 'recvStop', 'bufferSize', 'getSendQueueSize', 'getSendQueueCount'],
  resolver: ['getServers', 'setServers', 'cancel'],
} as const;

/**
 * Closes the methods of native handles that the permission model does not know. `async_hooks`, `_handle` and the constructors give every bundle such
 * handles, so the methods are replaced in their classes.
 *
 * Sockets of the file system stay closed in any case: that of the gateway is one of them.
 */
export function closeHandles({ isNetworkGranted, areProgramsGranted }: HandleGrants): void {
  // Their handles are opened at the first use, by the method that is closed below.
  void [process.stdin, process.stdout, process.stderr];
  closeMethods(findPipe(), []);
  if (isNetworkGranted) {
    // A descriptor that the bundle did not open itself is none of its sockets.
    for (const methods of [findTcp(), findUdp()]) closeMethod(methods, 'open');
  } else {
    closeMethods(findTcp(), HARMLESS.tcp);
    closeMethods(findUdp(), HARMLESS.udp);
    closeMethods(findResolver(), HARMLESS.resolver);
    closeLookups();
  }
  // A handle without a process has an arbitrary process id, to which `kill` sends the signal.
  if (!areProgramsGranted) {
    const methods = findProcess();
    for (const name of ['kill', 'spawn']) replace(methods, name, refuse(name));
  }
}

function closeLookups(): void {
  for (const name of ['lookup', 'lookupService']) {
    replace(dns, name, failLater);
    replace(dns.promises, name, rejectLater);
  }
}

function closeMethods(methods: NativeMethods, kept: readonly string[]): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
    if (typeof value !== 'function' || name === 'constructor' || kept.includes(name)) continue;
    closeMethod(methods, name);
  }
}

// It can be assigned, as Node.js does in the objects of IPv6; the original is gone nevertheless.
function closeMethod(methods: NativeMethods, name: string): void {
  Object.defineProperty(methods, name, { value: () => EACCES, writable: true, configurable: false });
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

/** Finds the class below the sockets of the file system. */
function findPipe(): NativeMethods {
  const server = net.createServer();
  // An abstract name creates no file; the handle exists even when the name is in use.
  server.on('error', () => undefined);
  server.listen(`\0penstock-fence-${process.pid}`);
  const methods = methodsOf(handleOf(server));
  server.close();
  return methods;
}

/** Finds the class below TCP sockets. */
function findTcp(): NativeMethods {
  const socket = new net.Socket();
  // `lookup` never answers, so nothing is sent.
  socket.connect({ host: 'fence.invalid', port: 1, lookup: () => undefined });
  const methods = methodsOf(handleOf(socket));
  socket.destroy();
  return methods;
}

/** Finds the class below UDP sockets. */
function findUdp(): NativeMethods {
  const socket = dgram.createSocket('udp4');
  const fields = socket as unknown as Record<symbol, { readonly handle?: unknown } | undefined>;
  const handle = Object.getOwnPropertySymbols(socket)
    .map((symbol) => fields[symbol]?.handle)
    .find((candidate) => candidate !== undefined);
  const methods = methodsOf(handle);
  socket.close();
  return methods;
}

/** Finds the class below the resolvers of names. */
function findResolver(): NativeMethods {
  return methodsOf(handleOf(new dns.Resolver()));
}

/** Finds the class below child processes. */
function findProcess(): NativeMethods {
  // The type has no constructor, because programs are expected to call `spawn`.
  const Constructor = ChildProcess as unknown as new () => object;
  return methodsOf(handleOf(new Constructor()));
}

function handleOf(owner: object): unknown {
  return (owner as NativeMethods)['_handle'];
}

function methodsOf(handle: unknown): NativeMethods {
  if (typeof handle !== 'object' || handle === null)
    throw new TypeError('a handle of the system is not found');
  return Object.getPrototypeOf(handle) as NativeMethods;
}
