import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that systems assign on request, so that no other program takes one between two uses of it.
const FIRST_PORT = 20_000;
const AFTER_LAST_PORT = 32_768;

/** Returns ports of the loopback that are free now, and stay so unless another caller asks for the same ones. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, AFTER_LAST_PORT);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

/** Returns a port for a server that a test ends and starts again. */
export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
