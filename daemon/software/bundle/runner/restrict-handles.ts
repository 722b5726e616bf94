import { ChildProcess } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

import { refuse, replace } from './replace.ts';

/** Methods of the native objects behind the modules of Node.js, by name; all objects of a class share them. */
type NativeMethods = Record<string, unknown>;

interface HandleGrants {
  readonly isNetworkGranted: boolean;
  readonly areProgramsGranted: boolean;
}

// libuv's code for EACCES: the caller sees an ordinary socket error.
const EACCES = -13;

// Allowlist: methods added by later Node.js versions stay blocked until reviewed.
const HARMLESS = {
  tcp: ['getsockname', 'getpeername', 'getTypeOfService'],
  udp: ['getsockname', 'getpeername', 'recvStop', 'bufferSize', 'getSendQueueSize', 'getSendQueueCount'],
  resolver: ['getServers', 'setServers', 'cancel'],
} as const;

/**
 * Blocks the methods of native handles that the permission model does not cover. `async_hooks`, `_handle` and the constructors
 * expose such handles to every bundle, so the methods are replaced in their classes.
 *
 * Unix sockets are always blocked: the local socket of the gateway is one.
 */
export function restrictHandles({ isNetworkGranted, areProgramsGranted }: HandleGrants): void {
  // Their handles are opened on first use, by a method that is blocked below.
  void [process.stdin, process.stdout, process.stderr];
  blockMethods(findPipe(), []);
  if (isNetworkGranted) {
    // A bundle may only use descriptors that it has opened.
    for (const methods of [findTcp(), findUdp()]) blockMethod(methods, 'open');
  } else {
    blockMethods(findTcp(), HARMLESS.tcp);
    blockMethods(findUdp(), HARMLESS.udp);
    blockMethods(findResolver(), HARMLESS.resolver);
    blockLookups();
  }
  // A handle without a process has an arbitrary process id, which `kill` would signal.
  if (!areProgramsGranted) {
    const methods = findProcess();
    for (const name of ['kill', 'spawn']) replace(methods, name, refuse(name));
  }
}

function blockLookups(): void {
  for (const name of ['lookup', 'lookupService']) {
    replace(dns, name, failLater);
    replace(dns.promises, name, rejectLater);
  }
}

function blockMethods(methods: NativeMethods, allowed: readonly string[]): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
    if (typeof value !== 'function' || name === 'constructor' || allowed.includes(name)) continue;
    blockMethod(methods, name);
  }
}

// The property stays writable, because Node.js assigns it in IPv6 objects; the original is unreachable.
function blockMethod(methods: NativeMethods, name: string): void {
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

/** Finds the native class of Unix sockets. */
function findPipe(): NativeMethods {
  const server = net.createServer();
  // An abstract name creates no file; the handle exists even if the name is in use.
  server.on('error', () => undefined);
  server.listen(`\0penstock-fence-${process.pid}`);
  const methods = methodsOf(handleOf(server));
  server.close();
  return methods;
}

/** Finds the native class of TCP sockets. */
function findTcp(): NativeMethods {
  const socket = new net.Socket();
  // `lookup` never completes, so nothing is sent.
  socket.connect({ host: 'fence.invalid', port: 1, lookup: () => undefined });
  const methods = methodsOf(handleOf(socket));
  socket.destroy();
  return methods;
}

/** Finds the native class of UDP sockets. */
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

/** Finds the native class of DNS resolvers. */
function findResolver(): NativeMethods {
  return methodsOf(handleOf(new dns.Resolver()));
}

/** Finds the native class of child processes. */
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
