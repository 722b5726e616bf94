import { ChildProcess } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

/** Methods of the native objects below the modules of Node.js, by name; they are shared by all objects of a class. */
export type NativeMethods = Record<string, unknown>;

/** Finds the class below the sockets of the file system. */
export function findPipe(): NativeMethods {
  const server = net.createServer();
  // An abstract name creates no file; the handle exists even when the name is in use.
  server.on('error', () => undefined);
  server.listen(`\0penstock-fence-${process.pid}`);
  const methods = methodsOf(handleOf(server));
  server.close();
  return methods;
}

/** Finds the class below TCP sockets. */
export function findTcp(): NativeMethods {
  const socket = new net.Socket();
  // `lookup` never answers, so nothing is sent.
  socket.connect({ host: 'fence.invalid', port: 1, lookup: () => undefined });
  const methods = methodsOf(handleOf(socket));
  socket.destroy();
  return methods;
}

/** Finds the class below UDP sockets. */
export function findUdp(): NativeMethods {
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
export function findResolver(): NativeMethods {
  return methodsOf(handleOf(new dns.Resolver()));
}

/** Finds the class below child processes. */
export function findProcess(): NativeMethods {
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
